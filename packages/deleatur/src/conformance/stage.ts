// What a case is handed: lays benches, opens the surface on them, and holds every answer to its type. It never lets an answer pass that is missing.
import { isDeepStrictEqual } from "node:util";
import { compareUtf8 } from "@deleatur/verify";
import { canaryText } from "../examine/canary.ts";
import { notApplicable } from "../examine/look-with-probes.ts";
import { toNeedles } from "../examine/to-needles.ts";
import type { Artifact, Erased, Rewritten } from "../model/artifact.ts";
import type { Boundary, SurfaceDeclaration } from "../model/declaration.ts";
import { type ArtifactKey, artifactKey, type RequestId, requestId, surfaceId, type SurfaceId } from "../model/ids.ts";
import { type ProbeRun, runProbes } from "../probe/run-probes.ts";
import type { Probe, Surface, SurfaceEntry, SurfaceKind } from "../surface.ts";
import { hold, needs, possible } from "./case-end.ts";
import type { Bench, BenchOrder, BenchRecord, ConformanceSubject, Wrote } from "./subject.ts";

export const SURFACE: SurfaceId = surfaceId("records");
export const ORIGINS: SurfaceId = surfaceId("origins");
export const PERSON = "person-4711";
export const OTHER = "person-8042";

export const REQUEST: RequestId = requestId("0123456789abcdef0123456789abcdef");

export interface Stage {
  readonly kind: SurfaceKind<unknown>;
  readonly random: (bytes: number) => Uint8Array;
  readonly clock: () => Date;
  /** A record about a person, with a text like no other. */
  readonly record: (given?: Partial<BenchRecord>) => BenchRecord;
  readonly records: (count: number) => readonly BenchRecord[];
  /** Lays a store and opens the surface on it; closed with the case. */
  readonly lay: (given?: Partial<Omit<BenchOrder, "folder">>) => Promise<Scene>;
}

/** One laid store with its surface open. Acts that answer for keys answer for each of them, or the case fails. */
export interface Scene {
  readonly bench: Bench;
  readonly declaration: SurfaceDeclaration;
  readonly options: unknown;
  readonly surface: Surface;
  /** Fresh eyes of the kind, without those that this declaration gives nothing to look at. */
  probes(): readonly Probe[];
  /** Writes as the application does. @throws CaseEnd where the store refuses or cannot */
  write(records: readonly BenchRecord[]): Promise<readonly ArtifactKey[]>;
  /** The same for one. */
  put(record: BenchRecord): Promise<ArtifactKey>;
  scan(): Promise<readonly Artifact[]>;
  read(keys: readonly ArtifactKey[]): Promise<readonly Artifact[]>;
  /** The one artifact under a key. @throws CaseEnd */
  one(key: ArtifactKey): Promise<Artifact>;
  erase(keys: readonly ArtifactKey[]): Promise<readonly Erased["outcome"][]>;
  rewrite(replacements: readonly Artifact[]): Promise<readonly Rewritten["outcome"][]>;
  /** Purges until nothing is pending; a purge that is `failed` or `unsupported` fails the case. */
  purge(): Promise<void>;
  /** Does something to the store that ends when it is told to, and with the case. @throws CaseEnd where the bench cannot */
  hinder(how: "takeAway" | "openReader" | "makeReadOnly" | "fillDisk"): Promise<{ readonly end: () => Promise<void> }>;
  /** The same store under a surface that is opened anew, as a run that goes on later opens it. */
  reopen(): Promise<Scene>;
  /** Runs every probe over what is gone, with survivors as controls. */
  look(
    gone: readonly Artifact[],
    controls: readonly Artifact[],
    probes?: readonly Probe[],
  ): Promise<readonly ProbeRun[]>;
}

export interface StageParts {
  readonly subject: ConformanceSubject;
  readonly random: (bytes: number) => Uint8Array;
  readonly clock: () => Date;
  readonly folder: () => string;
  /** Told what must be closed when the case has ended. */
  readonly closing: (close: () => Promise<void>) => void;
}

const VECTOR_LENGTH = 64;

export function createStage({ subject, random, clock, folder, closing }: StageParts, signal: AbortSignal): Stage {
  const record: Stage["record"] = (given = {}) => ({
    accounts: [PERSON],
    sources: [],
    text: canaryText(random),
    vector: Float32Array.from(random(VECTOR_LENGTH), (byte) => byte / 255 - 0.5),
    ...given,
  });
  return {
    kind: subject.kind,
    random,
    clock,
    record,
    records: (count) => Array.from({ length: count }, () => record()),
    async lay(given = {}) {
      const order: BenchOrder = {
        surface: SURFACE,
        origins: ORIGINS,
        keys: "plain",
        reuse: false,
        replicas: 0,
        ...given,
        folder: folder(),
      };
      const bench = possible(await subject.lay(order, signal));
      closing(() => bench.close());
      const declaration = declarationOf(subject.kind.kind, bench, order);
      const options = subject.kind.parse(entryOf(bench, declaration, order.folder));
      return await openScene({ kind: subject.kind, bench, declaration, options, closing, signal });
    },
  };
}

function declarationOf(kind: string, bench: Bench, { surface, reuse }: BenchOrder): SurfaceDeclaration {
  const [own, ...replicas] = bench.connections.map(({ name }) => name);
  return {
    role: "primary",
    label: "records",
    ...(own === undefined ? {} : { store: own }),
    key: [],
    keys: reuse ? "reusable" : "unique",
    subject: [],
    content: [],
    derivedFrom: [],
    maps: [],
    writers: "foreign",
    purge: { method: "auto" },
    replicas,
    ...bench.declaration,
    id: surface,
    kind,
  };
}

function entryOf(bench: Bench, declaration: SurfaceDeclaration, directory: string): SurfaceEntry {
  const stores = new Map(bench.connections.map((connection) => [connection.name, connection]));
  const boundary: Boundary = {
    version: 1,
    id: "conformance",
    identifiers: ["account"],
    surfaces: [declaration, ...bench.others].toSorted((a, b) => compareUtf8(a.id, b.id)),
    exempt: [],
    census: { include: [...stores.keys()].map((store) => `${store}.*`), quiet: [] },
    connect: { ledger: `${directory}/deleatur.db`, stores },
    source: { file: undefined, directory },
  };
  return { declaration, connections: bench.connections, boundary, participation: bench.participation };
}

interface SceneParts {
  readonly kind: SurfaceKind<unknown>;
  readonly bench: Bench;
  readonly declaration: SurfaceDeclaration;
  readonly options: unknown;
  readonly closing: StageParts["closing"];
  readonly signal: AbortSignal;
}

async function openScene(parts: SceneParts): Promise<Scene> {
  const surface = await parts.kind.open(parts.options);
  parts.closing(() => surface.close());
  return createScene(parts, surface);
}

function createScene(parts: SceneParts, surface: Surface): Scene {
  const { kind, bench, declaration, options, closing, signal } = parts;
  const probes = (): readonly Probe[] =>
    kind.probes(options).filter(({ name }) => notApplicable(declaration, name) === undefined);
  const read = (keys: readonly ArtifactKey[]): Promise<readonly Artifact[]> => gather(surface.read(keys, signal));
  const write: Scene["write"] = async (records) => writtenKeys(await bench.write(records, signal), records.length);
  return {
    bench,
    declaration,
    options,
    surface,
    probes,
    read,
    write,
    async put(record) {
      const [key] = await write([record]);
      hold(key !== undefined, "the bench must answer a key for each record");
      return key;
    },
    scan: () => gather(surface.scan(signal)),
    async one(key) {
      const [found, ...more] = await read([key]);
      hold(found?.key === key && more.length === 0, "one artifact was asked for by its key and not answered as one");
      return found;
    },
    async erase(keys) {
      return answersOf(await surface.erase(keys, signal), keys, ["erased", "absent", "failed"]);
    },
    async rewrite(replacements) {
      const keys = replacements.map(({ key }) => key);
      return answersOf(await surface.rewrite(replacements, signal), keys, ["rewritten", "absent", "failed"]);
    },
    async purge() {
      const lock = await surface.purgeLock(signal);
      hold(lock === "none" || lock === "exclusive", "purgeLock gives an answer that is not known");
      const { hindrance, locks, seconds, spareBytes, basis } = await surface.foresee(signal);
      const purged = await surface.purge(signal);
      hold(
        purged.outcome === "purged" && purged.method !== "",
        purged.outcome === "purged" ? "purge names no method" : `purge answers ${purged.outcome}: ${purged.why}`,
      );
      hold(hindrance === undefined, "foresee names what stands in the way of a purge that then ends");
      hold(
        lock === "none" || locks.some(({ keepsOut }) => keepsOut !== "nobody"),
        "foresee names no lock, and purgeLock does",
      );
      hold(seconds >= 0 && spareBytes >= 0 && basis !== "", "foresee gives no figure, or not what it rests on");
    },
    async hinder(how) {
      const hindrance = possible(await bench[how](signal));
      let isOver = false;
      const end = async (): Promise<void> => {
        if (isOver) return;
        isOver = true;
        await hindrance.end();
      };
      closing(end);
      return { end };
    },
    reopen: () => openScene(parts),
    look: (gone, controls, given) => {
      const erased = gone.map(({ surface: id, key, subjects, content }) => ({
        ref: { surface: id, key },
        subjects,
        content,
        fate: "erased" as const,
      }));
      return runProbes(given ?? probes(), toNeedles(erased, controls), {}, signal);
    },
  };
}

/** The keys that a bench answers for what it wrote. @throws CaseEnd where it did not write */
export function writtenKeys(answer: Wrote, count: number): readonly ArtifactKey[] {
  const wrote = possible(answer);
  hold(wrote.outcome === "written", `the bench could not write: ${wrote.outcome === "refused" ? wrote.why : ""}`);
  hold(wrote.keys.length === count, "the bench must answer a key for each record");
  return wrote.keys.map(artifactKey);
}

/** @throws CaseEnd where an answer is missing, twice, out of order, or none of those that there are */
function answersOf<Outcome extends string>(
  answers: readonly ({ readonly key: ArtifactKey; readonly surface: SurfaceId } & {
    readonly outcome: Outcome;
    readonly why?: string;
  })[],
  keys: readonly ArtifactKey[],
  known: readonly Outcome[],
): readonly Outcome[] {
  const byKey = new Map(answers.map((answer) => [answer.key, answer]));
  hold(byKey.size === answers.length, "an act answers twice for one key");
  hold(
    byKey.size === new Set(keys).size,
    `an act was asked for ${new Set(keys).size} keys and answers for ${byKey.size}`,
  );
  return keys.map((key) => {
    const answer = byKey.get(key);
    hold(answer !== undefined, "an act gives no answer for a key that it was asked for");
    hold(known.includes(answer.outcome), "an act gives an answer that is not known");
    hold(answer.outcome !== "failed" || (answer.why ?? "") !== "", "an act failed and does not say why");
    return answer.outcome;
  });
}

async function gather(artifacts: AsyncIterable<Artifact>): Promise<readonly Artifact[]> {
  const all: Artifact[] = [];
  for await (const artifact of artifacts) all.push(artifact);
  hold(
    all.every(({ surface }) => surface === SURFACE),
    "an artifact names another surface than the one that was opened",
  );
  hold(new Set(all.map(({ key }) => key)).size === all.length, "two artifacts have one key");
  return all;
}

/** Whether two readings say the same, whatever the order of persons and sources. */
export function isSame(before: readonly Artifact[], after: readonly Artifact[]): boolean {
  return isDeepStrictEqual(before.map(inOrder), after.map(inOrder));
}

function inOrder({ subjects, sources, ...rest }: Artifact): unknown {
  return {
    ...rest,
    subjects: subjects.map(({ type, value }) => JSON.stringify([type, value])).toSorted(compareUtf8),
    sources: sources.map(({ surface, key }) => JSON.stringify([surface, key])).toSorted(compareUtf8),
  };
}

/** True where the content of an artifact has this text in it. */
export function says({ content }: Artifact, text: string): boolean {
  return content.some(
    (field) =>
      (field.type === "text" && field.text.includes(text)) ||
      (field.type === "bytes" && Buffer.from(field.bytes).includes(text)),
  );
}

/** True where a probe reported the artifact at this place in the list that it was given. */
export function hasFound({ findings }: ProbeRun, needle = 0): boolean {
  return findings.some((finding) => finding.needle === needle);
}

/** The runs of a look, each of which saw: its controls were found. @throws CaseEnd */
export function seeing(runs: readonly ProbeRun[]): readonly ProbeRun[] {
  needs(runs.length > 0, "the kind has no probes");
  for (const { name, status, why } of runs) hold(status === "ran", `the ${name} probe is blind: ${why ?? ""}`);
  return runs;
}
