// Bends the real SQLite adapter in one act, so that a case of the kit has something to find. It judges nothing.
import type { Bench, ConformanceSubject } from "../../src/conformance/index.ts";
import type { Artifact, Erased } from "../../src/model/artifact.ts";
import { artifactKey, type ArtifactKey, surfaceId } from "../../src/model/ids.ts";
import type { Finding, Needle } from "../../src/model/needle.ts";
import type { FenceOrder, Guarantees, Probe, Surface, SurfaceKind } from "../../src/surface.ts";
import { sqliteSubject } from "./sqlite-subject.ts";

export interface Mutant {
  readonly case: string;
  /** What is wrong with the store. */
  readonly flaw: string;
  readonly subject: ConformanceSubject;
}

type Bend = (surface: Surface) => Partial<Surface>;

export function withKind(change: (kind: SurfaceKind<unknown>) => Partial<SurfaceKind<unknown>>): ConformanceSubject {
  const { kind } = sqliteSubject;
  return { ...sqliteSubject, kind: { ...kind, ...change(kind) } };
}

export function withSurface(bend: Bend): ConformanceSubject {
  return withKind((kind) => ({
    async open(options) {
      const surface = await kind.open(options);
      return { ...surface, ...bend(surface) };
    },
  }));
}

export function withProbe(name: Probe["name"], look: (probe: Probe) => Probe["look"]): ConformanceSubject {
  return withKind((kind) => ({
    probes: (options) =>
      kind.probes(options).map((probe) => (probe.name === name ? { ...probe, look: look(probe) } : probe)),
  }));
}

export function withBench(change: (bench: Bench) => Partial<Bench>): ConformanceSubject {
  return {
    ...sqliteSubject,
    async lay(order, signal) {
      const bench = await sqliteSubject.lay(order, signal);
      return bench.outcome === "laid" ? { ...bench, ...change(bench) } : bench;
    },
  };
}

/** Every artifact that comes out, by scan and by read, is another than stands there. */
export function withArtifacts(change: (artifact: Artifact) => Artifact): ConformanceSubject {
  return withSurface((surface) => ({
    async *scan(signal, part) {
      for await (const artifact of surface.scan(signal, part)) yield change(artifact);
    },
    async *read(keys, signal) {
      for await (const artifact of surface.read(keys, signal)) yield change(artifact);
    },
  }));
}

export const withKey = (change: (key: string) => string): ConformanceSubject =>
  withArtifacts((artifact) => ({ ...artifact, key: artifactKey(change(artifact.key)) }));

export const withFence = (change: (order: FenceOrder) => FenceOrder): ConformanceSubject =>
  withSurface((surface) => ({ fence: (order, signal) => surface.fence(change(order), signal) }));

export async function collect(artifacts: AsyncIterable<Artifact>): Promise<readonly Artifact[]> {
  const all: Artifact[] = [];
  for await (const artifact of artifacts) all.push(artifact);
  return all;
}

export async function keysOf(surface: Surface, signal: AbortSignal): Promise<readonly ArtifactKey[]> {
  const keys: ArtifactKey[] = [];
  for await (const { key } of surface.scan(signal)) keys.push(key);
  return keys;
}

export const RECORDS = surfaceId("records");
export const erased = (key: ArtifactKey): Erased => ({ surface: RECORDS, key, outcome: "erased" });

/** What an eye reports that only wants its controls to be found. */
export function onlyControls(probe: Probe): Probe["look"] {
  return async function* look(needles: readonly Needle[], signal: AbortSignal): AsyncGenerator<Finding> {
    for await (const finding of probe.look(needles, signal))
      if (needles[finding.needle]?.fate === "control") yield finding;
  };
}

export async function* always(): AsyncGenerator<Finding> {
  const place = { container: "memory.records" };
  yield { probe: "exact", depth: "api", needle: 0, place, match: { how: "exact", encoding: "utf8" } };
}

export async function* silent(): AsyncGenerator<Finding> {}

export async function* nothing(): AsyncGenerator<Artifact> {}

export const mutant = (name: string, flaw: string, subject: ConformanceSubject): Mutant => ({
  case: name,
  flaw,
  subject,
});

export function withGuarantees(given: Partial<Guarantees>): ConformanceSubject {
  return withKind((kind) => {
    const guarantees = { ...kind.guarantees, ...given };
    return { guarantees, open: async (options) => ({ ...(await kind.open(options)), guarantees }) };
  });
}

export function keepingAtRewrite(member: "subjects" | "sources"): ConformanceSubject {
  return withSurface((surface) => ({
    async rewrite(replacements, signal) {
      const before = new Map<string, Artifact>();
      const keys = replacements.map(({ key }) => key);
      for await (const artifact of surface.read(keys, signal)) before.set(artifact.key, artifact);
      const bent = replacements.map((one) => ({ ...one, [member]: before.get(one.key)?.[member] ?? one[member] }));
      return surface.rewrite(bent, signal);
    },
  }));
}
