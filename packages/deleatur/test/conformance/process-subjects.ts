// The benches of kinds `in-process`, `provider-cache` and `backup` for the kit: a map in this very process under a ledger of its own, and nothing at all.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { backup } from "../../src/adapters/backup/index.ts";
import { inProcess } from "../../src/adapters/in-process/index.ts";
import { providerCache } from "../../src/adapters/provider-cache/index.ts";
import { defineBoundary } from "../../src/boundary/parse-boundary.ts";
import { CASES } from "../../src/conformance/cases/all-cases.ts";
import {
  type Bench,
  type BenchRecord,
  type ConformanceSubject,
  impossible,
  noProcess,
  type Wrote,
} from "../../src/conformance/index.ts";
import type { Horizon } from "../../src/model/declaration.ts";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { openParticipation } from "../../src/participate/participation.ts";

/** Longer than a busy machine takes to answer. */
const PATIENT_MS = 20_000;

const LEASED = "a write into a process's memory cannot be refused from outside, so that the fence is leased";
const LET_GO = "a value in a process's memory is let go of, not rewritten";
const NO_STORE = "process memory has no files, no containers and no replicas";
const ENDED = "a process that is gone has ended with its memory, and one that is silent is waited for";
const GIVEN = "whoever writes gives the key, and a key is one text";

export const inProcessSubject: ConformanceSubject = {
  name: "in-process",
  kind: inProcess,
  cannot: {
    "fence-exact": LEASED,
    "fence-sources": LEASED,
    "fence-keys": LEASED,
    "fence-adds": LEASED,
    "rewrite-content": LET_GO,
    "rewrite-absent": LET_GO,
    "rewrite-persons": LET_GO,
    "rewrite-sources": LET_GO,
    snapshot: "memory is listed entry by entry, not at one instant",
    bytes: "memory itself is not scanned: there is no byte probe",
    "bytes-by-hand": NO_STORE,
    "fence-leaves-nothing": NO_STORE,
    "sabotaged-purge": "memory itself is not scanned: there is no byte probe",
    vectors: "a participant gives vectors no index that could be asked",
    markers: "who takes part stands in the ledger itself: there is no store that another ledger could share",
    census: NO_STORE,
    "undeclared-container": NO_STORE,
    "keys-empty": "an entry without a key cannot be listed",
    unreachable: ENDED,
    "down-at-open": ENDED,
    "down-while-scanning": ENDED,
    "killed-in-erase": ENDED,
    "killed-in-purge": ENDED,
    "reader-holds": NO_STORE,
    "read-only": NO_STORE,
    "disk-full": NO_STORE,
    replicas: NO_STORE,
    "replica-alone": NO_STORE,
    "namespace-beside": NO_STORE,
    "made-up-ids": GIVEN,
    "reused-ids": GIVEN,
    "colliding-namespaces": GIVEN,
  },
  async lay({ keys, replicas, folder, surface }): Promise<Bench | ReturnType<typeof impossible>> {
    if (keys !== "plain") return impossible(GIVEN);
    if (replicas > 0) return impossible(NO_STORE);
    const boundary = defineBoundary(
      {
        deleatur: 1,
        boundary: "conformance",
        identifiers: ["account"],
        surfaces: { [surface]: { kind: "in-process", role: "cache" } },
        connect: { ledger: `sqlite:${join(folder, "deleatur.db")}` },
      },
      { directory: folder, env: {} },
    );
    const memory = await openDeleatur(boundary, { environment: {} });
    const { ledger, clock, random } = memory.engine;
    const held = new Map<string, BenchRecord>();
    const participant = await memory.participate(
      surface,
      {
        *entries() {
          for (const [key, { accounts, sources, text, expires }] of held) {
            // A cache with a time to live drops what has run out when it is met.
            if (expires !== undefined && expires <= clock()) {
              held.delete(key);
              continue;
            }
            yield {
              key,
              subjects: accounts.map((account) => `account:${account}`),
              sources: sources.map((source) => `origins/${source}`),
              content: { text },
              ...(expires === undefined ? {} : { expires }),
            };
          }
        },
        evict(gone) {
          for (const key of gone) held.delete(key);
        },
        put: ({ key, text }) => void held.set(key, { accounts: [], sources: [], text }),
      },
      { pollMs: 2 },
    );
    let isAway = false;
    return {
      outcome: "laid",
      declaration: { role: "cache" },
      connections: [],
      others: [],
      participation: () => openParticipation({ boundary, ledger, clock, random }, surface, PATIENT_MS),
      holds: { accounts: "many", sources: "many", text: true, vectors: false, expiry: true },
      containers: [],
      async write(records): Promise<Wrote> {
        const given = records.map(({ key }) => key ?? `record-${randomBytes(8).toString("hex")}`);
        if (given.includes("")) return impossible("an entry without a key cannot be listed");
        for (const [place, record] of records.entries()) held.set(given[place] ?? "", record);
        return { outcome: "written", keys: given };
      },
      writeToReplica: async () => impossible(NO_STORE),
      writeBeside: async () => impossible(NO_STORE),
      readBeside: async () => [],
      addContainer: async () => impossible(NO_STORE),
      files: async () => impossible(NO_STORE),
      takeAway: async () => impossible(ENDED),
      openReader: async () => impossible(NO_STORE),
      makeReadOnly: async () => impossible(NO_STORE),
      fillDisk: async () => impossible(NO_STORE),
      async close() {
        if (!isAway) await participant.close();
        isAway = true;
        await memory.close();
      },
    };
  },
};

const CLAIMS: ReadonlySet<string> = new Set(["guarantees", "nothing-claimed", "probe-names"]);

/** A kind that only its horizon speaks of: everything but the cases about what is claimed. */
function outOfReach(
  kind: ConformanceSubject["kind"],
  why: string,
  declaration: { readonly role: "cache" | "backup"; readonly horizon: Horizon },
): ConformanceSubject {
  return {
    name: kind.kind,
    kind,
    cannot: Object.fromEntries(CASES.filter(({ name }) => !CLAIMS.has(name)).map(({ name }) => [name, why])),
    lay: async () => ({
      outcome: "laid",
      declaration,
      connections: [],
      others: [],
      participation: noProcess,
      holds: { accounts: "none", sources: "none", text: false, vectors: false, expiry: false },
      containers: [],
      write: async () => impossible(why),
      writeToReplica: async () => impossible(why),
      writeBeside: async () => impossible(why),
      readBeside: async () => [],
      addContainer: async () => impossible(why),
      files: async () => impossible(why),
      takeAway: async () => impossible(why),
      openReader: async () => impossible(why),
      makeReadOnly: async () => impossible(why),
      fillDisk: async () => impossible(why),
      close: async () => undefined,
    }),
  };
}

export const providerCacheSubject: ConformanceSubject = outOfReach(
  providerCache,
  "nobody here can read, write or delete in a provider's cache",
  { role: "cache", horizon: { maxSeconds: 3600, basis: "provider contract" } },
);

export const backupSubject: ConformanceSubject = outOfReach(
  backup,
  "a backup is not opened: nobody here reads, writes or deletes in it",
  { role: "backup", horizon: { maxSeconds: 2_592_000, basis: "retention of the archive" } },
);
