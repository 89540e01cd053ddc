// Needles of a request: the closure's content as it was, taken before the erase and sealed under the request key (DESIGN §3.8).
import type { Engine } from "../engine.ts";
import type { Artifact, ContentField } from "../model/artifact.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactId, type ArtifactRef, type RequestId, type SubjectIdentifier, type SurfaceId } from "../model/ids.ts";

export type NeedleFate = "erased" | "rewritten" | "kept";

/** One artifact of the closure before the erase. */
export interface KeptNeedle {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly content: readonly ContentField[];
  readonly fate: NeedleFate;
}

/** What is to be read and sealed. `withContent: false`: a record that others own too stays whole, so its content is no needle. */
export interface NeedleOrder {
  readonly ref: ArtifactRef;
  readonly fate: NeedleFate;
  readonly withContent: boolean;
}

type SealedField = readonly ["t" | "b" | "v", string, string];
type SealedNeedle = readonly [string, string, NeedleFate, readonly SubjectIdentifier[], readonly SealedField[]];

const CHUNK = 500;
const PREFIX = "needles/";

/** Seals every ordered artifact that is there, a chunk at a time; a chunk that is sealed already is not read again. `read`: what was read of them under the fence, by id. */
export async function sealNeedles(
  engine: Engine,
  request: RequestId,
  round: number,
  orders: readonly NeedleOrder[],
  read: ReadonlyMap<string, Artifact> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const known = new Set(engine.ledger.sealedNames(request));
  let chunkNumber = 0;
  for (const [surfaceId, members] of groupBy(orders, ({ ref }) => ref.surface)) {
    const surface = await engine.open(surfaceId);
    for (let from = 0; from < members.length; from += CHUNK) {
      const name = `${PREFIX}${round}/${String(chunkNumber++).padStart(6, "0")}`;
      if (known.has(name)) continue;
      const chunk = members.slice(from, from + CHUNK);
      const byKey = new Map(chunk.map((order) => [order.ref.key, order]));
      const sealed: SealedNeedle[] = [];
      for await (const artifact of read === undefined ? surface.read([...byKey.keys()], signal) : ofThem(read, chunk)) {
        const order = byKey.get(artifact.key);
        if (order === undefined) continue;
        const content = order.withContent ? artifact.content.map(sealField) : [];
        sealed.push([surfaceId, artifact.key, order.fate, artifact.subjects, content]);
      }
      engine.ledger.putSealed(request, name, new TextEncoder().encode(JSON.stringify(sealed)));
      engine.report({
        request,
        step: "needles",
        phase: "progress",
        surface: surfaceId,
        done: from + chunk.length,
        total: members.length,
      });
    }
  }
}

function ofThem(read: ReadonlyMap<string, Artifact>, orders: readonly NeedleOrder[]): readonly Artifact[] {
  return orders.flatMap(({ ref }) => read.get(artifactId(ref)) ?? []);
}

/** All needles of a request, opened; they live in memory only as long as the caller holds them. */
export function openNeedles(engine: Engine, request: RequestId): readonly KeptNeedle[] {
  const needles: KeptNeedle[] = [];
  /** By surface and key: what was opened of it, and where it stands. */
  const known = new Map<string, { readonly place: number; readonly content: readonly SealedField[] }[]>();
  for (const name of engine.ledger.sealedNames(request)) {
    if (!name.startsWith(PREFIX)) continue;
    const value = engine.ledger.getSealed(request, name);
    if (value === undefined) continue;
    for (const needle of JSON.parse(new TextDecoder().decode(value)) as readonly SealedNeedle[]) {
      const [surface, key, , , content] = needle;
      const id = `${surface}/${key}`;
      const own = known.get(id) ?? [];
      known.set(id, own);
      // A later round may meet an artifact again with other content (a late write): both are looked for.
      const same = own.find((one) => JSON.stringify(one.content) === JSON.stringify(content));
      if (same === undefined) own.push({ place: needles.length, content });
      needles[same?.place ?? needles.length] = openNeedle(needle);
    }
  }
  return needles;
}

function openNeedle([surface, key, fate, subjects, content]: SealedNeedle): KeptNeedle {
  // Both were parsed before they were sealed.
  const ref = { surface: surface as SurfaceId, key: key as ArtifactRef["key"] };
  return { ref, fate, subjects, content: content.map(openField) };
}

function sealField(field: ContentField): SealedField {
  switch (field.type) {
    case "text":
      return ["t", field.name, field.text];
    case "bytes":
      return ["b", field.name, Buffer.from(field.bytes).toString("base64")];
    case "vector": {
      const { buffer, byteOffset, byteLength } = field.vector;
      return ["v", field.name, Buffer.from(buffer, byteOffset, byteLength).toString("base64")];
    }
  }
}

function openField([type, name, value]: SealedField): ContentField {
  if (type === "t") return { type: "text", name, text: value };
  const bytes = new Uint8Array(Buffer.from(value, "base64"));
  return type === "b"
    ? { type: "bytes", name, bytes }
    : { type: "vector", name, vector: new Float32Array(bytes.buffer) };
}
