// Stores that are broken in one way, as data: for every case of the kit the one that it finds. Each is the real SQLite adapter with one act bent.
import { setTimeout as sleep } from "node:timers/promises";
import type { SqliteOptions } from "../../src/adapters/sqlite/index.ts";
import { artifactKey } from "../../src/model/ids.ts";
import {
  always,
  erased,
  keepingAtRewrite,
  keysOf,
  mutant,
  onlyControls,
  RECORDS,
  silent,
  withArtifacts,
  withBench,
  withFence,
  withGuarantees,
  withKey,
  withKind,
  withProbe,
  withSurface,
  type Mutant,
} from "./bend-store.ts";
import { OUTAGE_MUTANTS } from "./outage-mutants.ts";

const own = (options: unknown): SqliteOptions => {
  // The options of the SQLite kind, as its own `parse` made them.
  const { files, ...rest } = options as SqliteOptions;
  return { ...rest, files: files.slice(0, 1) };
};

const idlePurge = withSurface(() => ({ purge: async () => ({ outcome: "purged", method: "none" }) }));

export const MUTANTS: readonly Mutant[] = [
  mutant(
    "guarantees",
    "the open surface gives other guarantees than its kind",
    withSurface(({ guarantees }) => ({ guarantees: { ...guarantees, fence: "leased" } })),
  ),
  mutant(
    "guarantees",
    "deletion is at file level, and no byte probe is named",
    withGuarantees({ probes: ["key", "exact", "excerpt"] }),
  ),
  mutant("guarantees", "it can be scanned and says that it has no fence", withGuarantees({ fence: "none" })),
  mutant(
    "nothing-claimed",
    "asked to erase nothing, it erases something",
    withSurface((surface) => ({
      erase: async (keys, signal) => (keys.length === 0 ? [erased(artifactKey("some"))] : surface.erase(keys, signal)),
    })),
  ),
  mutant(
    "nothing-claimed",
    "a probe that is asked for nothing finds something",
    withProbe("exact", () => always),
  ),
  mutant(
    "erase-twice",
    "every erase answers erased",
    withSurface((surface) => ({
      erase: async (keys, signal) => (await surface.erase(keys, signal)).map(({ key }) => erased(key)),
    })),
  ),
  mutant(
    "erase-absent",
    "what is not there has no answer",
    withSurface((surface) => ({
      erase: async (keys, signal) => (await surface.erase(keys, signal)).filter(({ outcome }) => outcome !== "absent"),
    })),
  ),
  mutant(
    "others-untouched",
    "the neighbour goes too",
    withSurface((surface) => ({
      async erase(keys, signal) {
        const other = (await keysOf(surface, signal)).filter((key) => !keys.includes(key)).slice(0, 1);
        return (await surface.erase([...keys, ...other], signal)).filter(({ key }) => keys.includes(key));
      },
    })),
  ),
  mutant(
    "abort-and-rerun",
    "an aborted erase answers erased",
    withSurface((surface) => ({
      erase: async (keys, signal) => (signal.aborted ? keys.map(erased) : surface.erase(keys, signal)),
    })),
  ),
  mutant(
    "write-beside-erase",
    "an erase puts the store back as it was when it began, without what it erased",
    withSurface((surface) => ({
      async erase(keys, signal) {
        const before = await keysOf(surface, signal);
        const answers = await surface.erase(keys, signal);
        await sleep(50);
        const since = (await keysOf(surface, signal)).filter((key) => !before.includes(key));
        await surface.erase(since, signal);
        return answers;
      },
    })),
  ),
  mutant(
    "content-read-back",
    "the text is left out",
    withArtifacts((artifact) => ({ ...artifact, content: [] })),
  ),
  mutant(
    "several-persons",
    "the first person is named alone",
    withArtifacts((artifact) => ({ ...artifact, subjects: artifact.subjects.slice(0, 1) })),
  ),
  mutant(
    "several-sources",
    "the first source is named alone",
    withArtifacts((artifact) => ({ ...artifact, sources: artifact.sources.slice(0, 1) })),
  ),
  mutant(
    "scan-order",
    "the scan runs backwards",
    withSurface((surface) => ({
      async *scan(signal) {
        for (const key of (await keysOf(surface, signal)).toReversed()) yield* surface.read([key], signal);
      },
    })),
  ),
  mutant(
    "scan-order-unicode",
    "keys are in the order of their UTF-16 units",
    withSurface((surface) => ({
      async *scan(signal) {
        yield* surface.read((await keysOf(surface, signal)).toSorted(), signal);
      },
    })),
  ),
  mutant(
    "scan-resume",
    "an aborted scan ends as if it were whole",
    withSurface((surface) => ({
      async *scan(signal) {
        for await (const artifact of surface.scan(new AbortController().signal)) {
          if (signal.aborted) return;
          yield artifact;
        }
      },
    })),
  ),
  mutant(
    "paging",
    "a page of 1,000 is taken for everything",
    withSurface((surface) => ({
      async *scan(signal) {
        let count = 0;
        for await (const artifact of surface.scan(signal)) {
          if ((count += 1) > 1_000) return;
          yield artifact;
        }
      },
    })),
  ),
  mutant(
    "scan-lineage",
    "a scan for lineage leaves the sources out",
    withSurface((surface) => ({
      async *scan(signal, part) {
        for await (const artifact of surface.scan(signal, part))
          yield part === "lineage" ? { ...artifact, sources: [] } : artifact;
      },
    })),
  ),
  mutant(
    "read-some",
    "a key that is asked for twice is answered twice",
    withSurface((surface) => ({
      async *read(keys, signal) {
        for (const key of keys) yield* surface.read([key], signal);
      },
    })),
  ),
  mutant(
    "snapshot",
    "a scan goes on into what came meanwhile",
    withSurface((surface) => ({
      async *scan(signal) {
        const seen = new Set<string>();
        for (const round of ["first", "second"])
          for await (const artifact of surface.scan(signal)) {
            if (round === "second" && seen.has(artifact.key)) continue;
            seen.add(artifact.key);
            yield artifact;
          }
      },
    })),
  ),
  mutant(
    "late-write",
    "what was erased once is never scanned again",
    withSurface((surface) => {
      const hidden = new Set<string>();
      return {
        async erase(keys, signal) {
          for (const key of keys) hidden.add(key);
          return surface.erase(keys, signal);
        },
        async *scan(signal) {
          for await (const artifact of surface.scan(signal)) if (!hidden.has(artifact.key)) yield artifact;
        },
      };
    }),
  ),
  mutant("expiry", "when it expires is not read back", {
    ...withBench(({ holds }) => ({ holds: { ...holds, expiry: true } })),
    cannot: {},
  }),
  mutant(
    "rewrite-content",
    "a rewrite answers rewritten and does nothing",
    withSurface(() => ({
      rewrite: async (replacements) =>
        replacements.map(({ key }) => ({ surface: RECORDS, key, outcome: "rewritten" as const })),
    })),
  ),
  mutant("rewrite-content", "the old text is left in the files", idlePurge),
  mutant(
    "rewrite-absent",
    "what is not there is answered as rewritten",
    withSurface((surface) => ({
      rewrite: async (replacements, signal) =>
        (await surface.rewrite(replacements, signal)).map(({ key }) => ({
          surface: RECORDS,
          key,
          outcome: "rewritten" as const,
        })),
    })),
  ),
  mutant("rewrite-persons", "persons stay as they were", keepingAtRewrite("subjects")),
  mutant("rewrite-sources", "sources stay as they were", keepingAtRewrite("sources")),
  mutant(
    "purge",
    "a purge never ends",
    withSurface(() => ({ purge: async () => ({ outcome: "pending", why: "always" }) })),
  ),
  mutant(
    "purge",
    "what stands in its way is foreseen, and nothing does",
    withSurface((surface) => ({
      foresee: async (signal) => ({
        ...(await surface.foresee(signal)),
        hindrance: { outcome: "unsupported", why: "always" },
      }),
    })),
  ),
  mutant(
    "purge",
    "it takes a lock that is not foreseen",
    withSurface((surface) => ({
      purgeLock: async () => "exclusive",
      foresee: async (signal) => ({ ...(await surface.foresee(signal)), locks: [] }),
    })),
  ),
  mutant("bytes", "a purge answers purged and does nothing", idlePurge),
  mutant("bytes-by-hand", "a purge answers purged and does nothing", idlePurge),
  mutant(
    "offer-leaves-nothing",
    "a dry run really inserts",
    withSurface((surface) => ({
      async offer(artifact, signal) {
        await surface.plant(artifact, signal);
        return { outcome: "accepted" };
      },
    })),
  ),
  mutant(
    "fence-leaves-nothing",
    "a fence is never taken down",
    withSurface(() => ({ unfence: async () => "ended" })),
  ),
  mutant(
    "positive-control",
    "the exact probe looks at nothing",
    withProbe("exact", () => silent),
  ),
  mutant(
    "nothing-after",
    "the key probe reports whatever it is asked for",
    withProbe(
      "key",
      ({ depth }) =>
        async function* look(needles) {
          for (const { index } of needles)
            yield { probe: "key", depth, needle: index, place: { container: "memory.records" }, match: { how: "key" } };
        },
    ),
  ),
  mutant(
    "canary",
    "a canary is answered as planted and is not",
    withSurface(() => ({ plant: async ({ key }) => ({ key, outcome: "planted" }) })),
  ),
  mutant(
    "probe-elsewhere",
    "the excerpt probe knows its controls and reports them unseen",
    withProbe(
      "excerpt",
      ({ depth }) =>
        async function* look(needles) {
          for (const { index, fate } of needles)
            if (fate === "control")
              yield {
                probe: "excerpt",
                depth,
                needle: index,
                place: { container: "" },
                match: { how: "run", words: 9 },
              };
        },
    ),
  ),
  mutant(
    "probe-names",
    "the byte probe that the guarantees name is not there",
    withKind((kind) => ({ probes: (options) => kind.probes(options).filter(({ name }) => name !== "bytes") })),
  ),
  mutant("vectors", "the neighbour probe finds its controls alone", withProbe("neighbour", onlyControls)),
  ...OUTAGE_MUTANTS,
  mutant("sabotaged-erase", "the key probe finds its controls alone", withProbe("key", onlyControls)),
  mutant("sabotaged-purge", "the byte probe finds its controls alone", withProbe("bytes", onlyControls)),
  mutant(
    "sabotaged-probe",
    "what is read has no content, so that nothing could be a control",
    withArtifacts((artifact) => ({ ...artifact, content: [] })),
  ),
  mutant(
    "fence-strength",
    "a fence answers strong and is none",
    withSurface(() => ({ fence: async () => "strong" })),
  ),
  mutant(
    "fence-exact",
    "a fence over 42 is one over 421",
    withFence((order) => ({ ...order, identifiers: [...order.identifiers, { type: "account", value: "421" }] })),
  ),
  mutant(
    "fence-sources",
    "sources are not fenced",
    withFence((order) => ({ ...order, sources: new Map() })),
  ),
  mutant(
    "fence-keys",
    "keys are not fenced",
    withFence((order) => ({ ...order, keys: [] })),
  ),
  mutant(
    "fence-adds",
    "it tells of no fence that stands",
    withSurface(() => ({ fences: async () => [] })),
  ),
  mutant(
    "fence-adds",
    "a second fence takes the place of the first",
    withSurface((surface) => ({
      async fence(order, signal) {
        await surface.unfence([order.request], signal);
        return surface.fence(order, signal);
      },
    })),
  ),
  mutant(
    "offer-answers",
    "every offer is accepted",
    withSurface(() => ({ offer: async () => ({ outcome: "accepted" }) })),
  ),
  mutant(
    "keys-unicode",
    "keys are normalised",
    withKey((key) => key.normalize("NFC")),
  ),
  mutant(
    "keys-quotes",
    "keys are trimmed",
    withKey((key) => key.trim()),
  ),
  mutant(
    "keys-nul",
    "keys end at a NUL",
    withKey((key) => key.split("\0")[0] ?? ""),
  ),
  mutant(
    "keys-long",
    "keys end after 4,095 characters",
    withKey((key) => key.slice(0, 4_095)),
  ),
  mutant(
    "keys-empty",
    "a scan goes past what it cannot name",
    withSurface((surface) => ({
      async *scan(signal) {
        try {
          yield* surface.scan(signal);
        } catch {
          return;
        }
      },
    })),
  ),
  mutant(
    "colliding-namespaces",
    "the parts of a key are joined by a colon",
    // A composite key is the JSON array of its parts.
    withKey((key) => (key.startsWith("[") ? (JSON.parse(key) as string[]).join(":") : key)),
  ),
  mutant(
    "similar-keys",
    "keys are erased by prefix",
    withSurface((surface) => ({
      async erase(keys, signal) {
        const all = await keysOf(surface, signal);
        const alike = all.filter((key) => keys.some((wanted) => key.startsWith(wanted)));
        return (await surface.erase([...keys, ...alike], signal)).filter(({ key }) => keys.includes(key));
      },
    })),
  ),
  mutant(
    "similar-persons",
    "identifiers are read as numbers",
    withArtifacts((artifact) => ({
      ...artifact,
      subjects: artifact.subjects.map(({ type, value }) => ({ type, value: String(Number(value)) })),
    })),
  ),
  mutant(
    "namespace-beside",
    "the neighbouring table is erased with ours",
    withKind((kind) => ({
      async open(options) {
        const surface = await kind.open(options);
        const beside = await kind.open({ ...(options as SqliteOptions), table: "records2" });
        return {
          ...surface,
          async erase(keys, signal) {
            await beside.erase(keys, signal);
            return surface.erase(keys, signal);
          },
        };
      },
    })),
  ),
  mutant(
    "made-up-ids",
    "a canary answers the key that it was given, not the one that it got",
    withSurface((surface) => ({
      plant: async (canary, signal) => ({ ...(await surface.plant(canary, signal)), key: canary.key }),
    })),
  ),
  mutant(
    "reused-ids",
    "keys that are given again are declared to be unique",
    withBench(({ declaration }) => ({ declaration: { ...declaration, keys: "unique" } })),
  ),
  mutant(
    "census",
    "the census leaves a table out",
    withSurface((surface) => ({
      census: async (signal) => (await surface.census(signal)).filter(({ name }) => !name.endsWith("records2")),
    })),
  ),
  mutant(
    "undeclared-container",
    "nobody looks into a stray table",
    withKind(() => ({ containerProbes: () => [] })),
  ),
  mutant(
    "markers",
    "a marker is never taken out",
    withSurface(() => ({ unmark: async () => undefined })),
  ),
  mutant(
    "replicas",
    "an erase reaches the surface's own store alone",
    withKind((kind) => ({ open: (options) => kind.open(own(options)) })),
  ),
  mutant(
    "replica-alone",
    "the eyes see the surface's own store alone",
    withKind((kind) => ({ probes: (options) => kind.probes(own(options)) })),
  ),
];
