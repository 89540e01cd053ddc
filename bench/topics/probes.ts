// What a look costs: exact and excerpt over texts, bytes over a file of texts and vectors, for 1,000 and 10,000 needles, beside one plain search of one
// pattern over the same bytes. It asks the very matchers that the probes ask, and stops where a control is not found.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContentField } from "../../packages/deleatur/dist/model/artifact.js";
import { artifactKey, surfaceId } from "../../packages/deleatur/dist/model/ids.js";
import type { Needle } from "../../packages/deleatur/dist/model/needle.js";
import { createPatternMatcher } from "../../packages/deleatur/dist/probe/byte-matcher.js";
import { bytePatterns } from "../../packages/deleatur/dist/probe/byte-patterns.js";
import { createByteSift } from "../../packages/deleatur/dist/probe/byte-sift.js";
import { createExactMatcher } from "../../packages/deleatur/dist/probe/exact-matcher.js";
import { createExcerptMatcher } from "../../packages/deleatur/dist/probe/excerpt-matcher.js";
import type { Matcher } from "../../packages/deleatur/dist/probe/matcher.js";
import { createNearVectors } from "../../packages/deleatur/dist/probe/near-vectors.js";
import { type Figure, ratio, type Scene } from "../figure.ts";
import { median, once } from "../sample.ts";

const TEXTS = 20_000;
const DIMENSIONS = 384;
const ROUNDS = 5;
const PLACE = { container: "bench" };

/** Words of which few are frequent and most are rare, so that texts share short runs by chance, as people's do. */
const VOCABULARY = Array.from({ length: 20_000 }, (_, at) => (at * 997 + 40_000).toString(36));

function sentence(): string {
  const chances = randomBytes(4 * (12 + ((randomBytes(1)[0] ?? 0) % 48)));
  const words: string[] = [];
  for (let at = 0; at < chances.length; at += 4)
    words.push(VOCABULARY[Math.floor(VOCABULARY.length * (chances.readUInt32LE(at) / 2 ** 32) ** 3)] ?? "");
  return `Note: ${words.join(" ")}.`;
}

function embedding(): Float32Array {
  const chances = randomBytes(4 * DIMENSIONS);
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => chances.readInt32LE(4 * at) / 2 ** 31);
}

interface Corpus {
  readonly texts: readonly string[];
  readonly vectors: readonly Float32Array[];
  readonly file: string;
  readonly bytes: Buffer;
}

function layCorpus(directory: string): Corpus {
  const texts = Array.from({ length: TEXTS }, sentence);
  const vectors = Array.from({ length: TEXTS }, embedding);
  const bytes = Buffer.concat([
    ...texts.map((text) => Buffer.from(`${text}\0`)),
    ...vectors.map((vector) => Buffer.from(vector.buffer)),
  ]);
  const file = join(directory, "corpus.bin");
  writeFileSync(file, bytes);
  return { texts, vectors, file, bytes };
}

function needleOf(index: number, text: string, vector: Float32Array, fate: Needle["fate"]): Needle {
  const content: readonly ContentField[] = [
    { type: "text", name: "text", text },
    { type: "vector", name: "embedding", vector },
  ];
  return { index, ref: { surface: surfaceId("texts"), key: artifactKey(String(index)) }, subjects: [], content, fate };
}

/** Needles that stand nowhere, each a text and a vector, and last one control that stands in the corpus. */
function layNeedles(count: number, { texts, vectors }: Corpus): readonly Needle[] {
  const own = Array.from({ length: count }, (_, at) => needleOf(at, sentence(), embedding(), "erased"));
  return [...own, needleOf(count, texts[TEXTS >> 1] ?? "", vectors[TEXTS >> 1] ?? embedding(), "control")];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function mustFind(isFound: boolean, what: string): void {
  if (!isFound) throw new Error(`the ${what} look missed its control, so its time says nothing`);
}

async function medianOf(act: () => void | Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push((await once(act)).ms);
  return median(times);
}

function matchAll(matcher: Matcher, texts: readonly string[], control: number, what: string): void {
  let isFound = false;
  for (const text of texts) {
    const field: ContentField = { type: "text", name: "text", text };
    for (const { needle } of matcher.match({ place: PLACE, field })) isFound ||= needle === control;
  }
  mustFind(isFound, what);
}

async function lookAtBytes(needles: readonly Needle[], { texts, file }: Corpus): Promise<void> {
  const signal = new AbortController().signal;
  const sift = createByteSift(bytePatterns(needles));
  await sift.readFile(file, signal);
  const matcher = createPatternMatcher(sift.kept(), { explained: texts });
  let isFound = false;
  for await (const { needle } of matcher.scanFile(file, signal)) isFound ||= needle === needles.length - 1;
  mustFind(isFound, "bytes");
}

function lookForNear(needles: readonly Needle[], { vectors }: Corpus): void {
  const anchors = needles.flatMap(({ content }) =>
    content.flatMap((field) => (field.type === "vector" ? [field.vector] : [])),
  );
  const near = createNearVectors(anchors);
  let isFound = false;
  for (const vector of vectors) near.find(vector, (anchor) => (isFound ||= anchor === needles.length - 1));
  mustFind(isFound, "neighbour");
}

export async function bench({ directory, note }: Scene): Promise<readonly Figure[]> {
  const corpus = layCorpus(directory);
  const plainTexts = Buffer.from(corpus.texts.join("\n"));
  const absent = Buffer.from("this one stands nowhere at all");
  const searchTexts = await medianOf(() => void plainTexts.indexOf(absent));
  const searchFile = await medianOf(() => void readFileSync(corpus.file).indexOf(absent));
  const overTexts = { what: `one indexOf over ${megabytes(plainTexts.length)}`, value: searchTexts };
  const overFile = { what: `read and one indexOf over ${megabytes(corpus.bytes.length)}`, value: searchFile };
  const figures: Figure[] = [];
  for (const count of [1_000, 10_000]) {
    const needles = layNeedles(count, corpus);
    note(`${count} needles`);
    const add = async (what: string, peer: Figure["peer"] & object, act: () => void | Promise<void>): Promise<void> => {
      figures.push(ratio(`${what}, ${count} needles`, [await medianOf(act), "ms"], peer));
    };
    await add("exact, matcher made", overTexts, () => void createExactMatcher(needles));
    const exact = createExactMatcher(needles);
    await add("exact, texts", overTexts, () => matchAll(exact, corpus.texts, count, "exact"));
    await add("excerpt, matcher made", overTexts, () => void createExcerptMatcher(needles));
    const excerpt = createExcerptMatcher(needles);
    await add("excerpt, texts", overTexts, () => matchAll(excerpt, corpus.texts, count, "excerpt"));
    await add("neighbour, all of it", overFile, () => lookForNear(needles, corpus));
    await add("bytes, all of it", overFile, () => lookAtBytes(needles, corpus));
  }
  return figures;
}
