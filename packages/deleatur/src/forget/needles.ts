// Needles of a request: the closure's content as it was, taken before the erase and sealed under the request key (DESIGN §3.8).
import type { Engine } from "../engine.ts";
import type { ContentField } from "../model/artifact.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import type { PlannedItem } from "./plan.ts";

/** One artifact of the closure before the erase. */
export interface KeptNeedle {
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly content: readonly ContentField[];
  readonly fate: "erased" | "rewritten" | "kept";
}

type SealedField = readonly ["t" | "b" | "v", string, string];
type SealedNeedle = readonly [string, string, KeptNeedle["fate"], readonly SubjectIdentifier[], readonly SealedField[]];

const CHUNK = 500;

/** Reads the content of every planned artifact that is there and seals it, a chunk at a time; a chunk that is sealed already is not read again. */
export async function sealNeedles(
  engine: Engine,
  request: RequestId,
  round: number,
  items: readonly PlannedItem[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Set(engine.ledger.sealedNames(request));
  const bySurface = Map.groupBy(
    items.filter(({ present }) => present),
    ({ ref }) => ref.surface,
  );
  let chunkNumber = 0;
  for (const [surfaceId, members] of bySurface) {
    const surface = await engine.open(surfaceId);
    for (let from = 0; from < members.length; from += CHUNK) {
      const name = `needles/${round}/${String(chunkNumber++).padStart(6, "0")}`;
      if (known.has(name)) continue;
      const chunk = members.slice(from, from + CHUNK);
      const byKey = new Map(chunk.map((item) => [item.ref.key, item]));
      const sealed: SealedNeedle[] = [];
      for await (const artifact of surface.read(
        chunk.map(({ ref }) => ref.key),
        signal,
      )) {
        const item = byKey.get(artifact.key);
        if (item === undefined) continue;
        sealed.push(sealNeedle(item, artifact.subjects, artifact.content));
      }
      engine.ledger.putSealed(request, name, new TextEncoder().encode(JSON.stringify(sealed)));
      engine.report({ request, step: "needles", phase: "progress", surface: surfaceId, done: from + chunk.length, total: members.length });
    }
  }
}

/** All needles of a request, opened; they live in memory only as long as the caller holds them. */
export function openNeedles(engine: Engine, request: RequestId): readonly KeptNeedle[] {
  const needles = new Map<string, KeptNeedle>();
  for (const name of engine.ledger.sealedNames(request)) {
    if (!name.startsWith("needles/")) continue;
    const value = engine.ledger.getSealed(request, name);
    if (value === undefined) continue;
    for (const needle of JSON.parse(new TextDecoder().decode(value)) as readonly SealedNeedle[]) {
      const opened = openNeedle(needle);
      // A later round may meet an artifact again with other content (a late write): both are looked for.
      needles.set(JSON.stringify(needle.slice(0, 2)) + JSON.stringify(needle[4]), opened);
    }
  }
  return [...needles.values()];
}

function sealNeedle(
  item: PlannedItem,
  subjects: readonly SubjectIdentifier[],
  content: readonly ContentField[],
): SealedNeedle {
  const fate = item.action === "erase" ? "erased" : item.action === "rewrite" ? "rewritten" : "kept";
  // A shared record without a policy stays as it is for the others who own it: only this person's tag goes.
  const staysWhole = item.action === "rewrite" && item.because === "shared" && item.policy === undefined;
  return [item.ref.surface, item.ref.key, fate, subjects, staysWhole ? [] : content.map(sealField)];
}

function openNeedle([surface, key, fate, subjects, content]: SealedNeedle): KeptNeedle {
  return {
    ref: { surface: surface as SurfaceId, key: key as ArtifactRef["key"] },
    fate,
    subjects,
    content: content.map(openField),
  };
}

function sealField(field: ContentField): SealedField {
  if (field.type === "text") return ["t", field.name, field.text];
  if (field.type === "bytes") return ["b", field.name, Buffer.from(field.bytes).toString("base64")];
  const { buffer, byteOffset, byteLength } = field.vector;
  return ["v", field.name, Buffer.from(buffer, byteOffset, byteLength).toString("base64")];
}

function openField([type, name, value]: SealedField): ContentField {
  if (type === "t") return { type: "text", name, text: value };
  const bytes = new Uint8Array(Buffer.from(value, "base64"));
  return type === "b" ? { type: "bytes", name, bytes } : { type: "vector", name, vector: new Float32Array(bytes.buffer) };
}
