// Plants a canary where nothing survives, so that eyes that see nothing there can still be shown to see; it is taken out again after the look.
import { toHex } from "@deleatur/verify";
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import type { SurfaceDeclaration } from "../model/declaration.ts";
import { StoreError } from "../model/errors.ts";
import { artifactKey, type SurfaceId } from "../model/ids.ts";
import { currentWriter } from "../ledger/process-identity.ts";
import { contentDigests } from "../record/guard.ts";
import { CANARY_PREFIX, canaryText, headOf } from "./canary.ts";
import type { KeptNeedle } from "./kept-needles.ts";
import { isTextual, notApplicable } from "./look-with-probes.ts";
import type { SharedScan } from "./scan-epoch.ts";

/** Where no vector tells the dimensions: a store that has fewer takes as many as it has, and says so. */
const ANY_LENGTH = 4_096;
const LEASE_MS = 60_000;

export interface Canaries {
  readonly planted: readonly Artifact[];
  remove(): Promise<void>;
}

/** Surfaces where a canary cannot be planted get none: their probes are then blind, and the verdict says so. None is planted where a delete was refused already (`refusing`): it would stay. */
export async function plantCanaries(
  engine: Engine,
  scan: SharedScan,
  needles: readonly KeptNeedle[],
  refusing: ReadonlySet<SurfaceId>,
  signal: AbortSignal,
): Promise<Canaries> {
  const lacking = new Set<SurfaceId>();
  for (const { surface, probe } of scan.controls.lacking) {
    const { declaration, guarantees } = engine.bound(surface);
    if (scan.unread.has(surface) || !guarantees.probes.includes(probe)) continue;
    if (notApplicable(declaration, probe) === undefined) lacking.add(surface);
  }
  const planted = new Map<SurfaceId, Artifact>();
  const standing: string[] = [];
  // Tables before the indexes over them: an index may keep no content but that of its table.
  const tablesFirst = [...lacking].toSorted((a, b) => isIndex(engine, a) - isIndex(engine, b));
  const tried = new Set(refusing);
  const planting = { engine, needles, controls: scan.controls.controls, planted, tried, standing, signal };
  const remove = (): Promise<void> => removeAll(engine, [...planted.values()].toReversed(), standing);
  try {
    for (const id of tablesFirst) if (!tried.has(id)) await plantIn(planting, id);
  } catch (error) {
    await remove();
    throw error;
  }
  return { planted: [...planted.values()], remove };
}

/** Takes all of them out. One that a store keeps is left to the next run, by whichever process: its intent says where it stands. @throws what kept it */
async function removeAll(engine: Engine, canaries: readonly Artifact[], standing: readonly string[]): Promise<void> {
  const never = new AbortController().signal;
  const left = new Set<SurfaceId>();
  let trouble: unknown;
  for (const { surface, key } of canaries) {
    try {
      const [erased] = await (await engine.open(surface)).erase([key], never);
      if (erased?.outcome !== "failed") continue;
      throw new StoreError("CANARY_LEFT", `surface ${surface} keeps a row of ours: ${erased.why}`, {
        place: { surface },
        cure: "mend that, then run `deleatur forget --resume`: it is taken out first",
      });
    } catch (error) {
      left.add(surface);
      trouble ??= error;
    }
  }
  const intents = engine.ledger.openIntents().filter(({ id }) => standing.includes(id));
  const ids = (isLeft: boolean): readonly string[] =>
    intents.flatMap(({ id, ref }) => (left.has(ref.surface) === isLeft ? [id] : []));
  engine.ledger.leaveIntents(ids(true));
  engine.ledger.abortIntents(ids(false));
  if (trouble !== undefined) throw trouble;
}

/** What planting goes by, the same for all surfaces. */
interface Planting {
  readonly engine: Engine;
  readonly needles: readonly KeptNeedle[];
  readonly controls: readonly Artifact[];
  readonly planted: Map<SurfaceId, Artifact>;
  readonly tried: Set<SurfaceId>;
  /** Open intents of what stands. */
  readonly standing: string[];
  readonly signal: AbortSignal;
}

async function plantIn(planting: Planting, id: SurfaceId): Promise<void> {
  const { engine, planted, tried } = planting;
  tried.add(id);
  const { declaration } = engine.bound(id);
  const [source] = declaration.derivedFrom;
  const plantSource = async (): Promise<Artifact | undefined> => {
    if (source === undefined) return undefined;
    if (!tried.has(source.surface)) await plantIn(planting, source.surface);
    return planted.get(source.surface);
  };
  // A source that is there: a canary of its own surface, or a survivor.
  const survivor = planting.controls.find((control) => control.surface === source?.surface);
  const isFullText = declaration.kind === "sqlite-fts";
  const base =
    isFullText || survivor === undefined || source === undefined ? await plantSource() : planted.get(source.surface);
  if (await plantOne(planting, declaration, base ?? survivor, isFullText ? base : undefined)) return;
  // Another request's fence may hold the survivor, and nothing is derived from it then.
  if (base !== undefined) return;
  const own = await plantSource();
  if (own !== undefined) await plantOne(planting, declaration, own, isFullText ? own : undefined);
}

/** Answers whether a canary stands there now. `indexed`: the canary whose text an index takes over. */
async function plantOne(
  { engine, needles, planted, standing, signal }: Planting,
  declaration: SurfaceDeclaration,
  origin: Artifact | undefined,
  indexed: Artifact | undefined,
): Promise<boolean> {
  const { id } = declaration;
  const surface = await engine.open(id);
  let canary = makeCanary(engine, declaration, needles);
  if (origin !== undefined) canary = { ...canary, sources: [{ surface: origin.surface, key: origin.key }] };
  if (indexed !== undefined) {
    canary = { ...canary, key: indexed.key, content: textOf(indexed.content) };
    // Triggers of the application may have put it there already.
    for await (const fed of surface.read([canary.key], signal)) {
      planted.set(id, { ...canary, content: fed.content });
      return true;
    }
  }
  // Journalled before it is planted: who is killed while it stands leaves an intent by which the next run takes it out.
  const intent = beginCanary(engine, canary);
  standing.push(...intent);
  const answer = await surface.plant(canary, signal);
  if (answer.outcome !== "planted") return false;
  planted.set(id, { ...canary, key: answer.key, content: answer.content ?? canary.content });
  return true;
}

function beginCanary(engine: Engine, { surface, key, content }: Artifact): readonly string[] {
  const [first] = contentDigests(engine.ledger, content.map(headOf));
  const type = engine.boundary.identifiers[0] ?? "canary";
  const intent = {
    ref: { surface, key },
    subjects: [{ type, value: `${CANARY_PREFIX}${toHex(engine.random(8))}` }],
    sources: [],
    leaseMs: LEASE_MS,
    // An index follows the number that its table gave the canary, which may be an erased row's.
    isKeyReusable: engine.bound(surface).declaration.keys === "reusable",
    ...(first === undefined ? {} : { contentDigest: first.digest }),
  };
  return engine.ledger.beginIntents([intent], currentWriter());
}

function isIndex(engine: Engine, id: SurfaceId): number {
  return engine.bound(id).declaration.role === "index" ? 1 : 0;
}

function textOf(content: readonly ContentField[]): readonly ContentField[] {
  return content.filter(({ type }) => type === "text");
}

function makeCanary(engine: Engine, declaration: SurfaceDeclaration, needles: readonly KeptNeedle[]): Artifact {
  const mark = toHex(engine.random(8));
  const content: ContentField[] = declaration.content.map(({ column, as }) => {
    const text = canaryText(engine.random);
    return { type: "text", name: column, text: as === "text" ? text : JSON.stringify({ text }) };
  });
  if (content.length === 0 && isTextual(declaration.kind)) {
    content.push({ type: "text", name: "text", text: canaryText(engine.random) });
  }
  if (declaration.vector !== undefined) {
    const dimensions = vectorLength(declaration, needles);
    // Numbers that halves hold as they stand.
    const vector = Float32Array.from({ length: dimensions }, () => ((engine.random(1)[0] ?? 0) - 128) / 256);
    content.push({ type: "vector", name: declaration.vector, vector });
  }
  const [identifier] = declaration.subject;
  return {
    surface: declaration.id,
    key: artifactKey(`${CANARY_PREFIX}${mark}`),
    subjects: identifier === undefined ? [] : [{ type: identifier.type, value: `${CANARY_PREFIX}${mark}` }],
    sources: declaration.derivedFrom
      .slice(0, 1)
      .map(({ surface }) => ({ surface, key: artifactKey(`${CANARY_PREFIX}${mark}`) })),
    content,
  };
}

function vectorLength({ id, vector }: SurfaceDeclaration, needles: readonly KeptNeedle[]): number {
  for (const { ref, content } of needles) {
    for (const field of content)
      if (ref.surface === id && field.type === "vector" && field.name === vector) return field.vector.length;
  }
  return ANY_LENGTH;
}
