// Builds evidence in which everything is clean, so that each test adds exactly one flaw. Holds no test of its own.
import type { Evidence, ProbeEvidence, SurfaceEvidence, Survivor } from "../../src/attest/evidence.ts";

export const AT: Date = new Date("2026-11-02T14:02:11Z");

export function later(seconds: number): Date {
  return new Date(AT.getTime() + seconds * 1000);
}

function ran(name: ProbeEvidence["name"], depth: ProbeEvidence["depth"] = "api"): ProbeEvidence {
  return { name, depth, status: "ran", controls: { taken: 4, found: 4 } };
}

export function cleanSurface(change: Partial<SurfaceEvidence> & { readonly surface: string }): SurfaceEvidence {
  return {
    role: "derived",
    state: { as: "covered" },
    scan: { complete: true, snapshot: "yes" },
    erase: { erased: 2, absent: 0, rewritten: 0, failed: 0 },
    purge: { outcome: "purged" },
    required: ["key", "exact", "excerpt", "bytes", "re-ingest"],
    probes: [ran("key"), ran("exact"), ran("excerpt"), ran("bytes", "bytes"), ran("re-ingest")],
    writers: "trigger",
    watched: false,
    reingest: "refused",
    lineage: { rowsWithoutEdge: 0, inferredOnly: 0, complete: true },
    deletion: "file-level",
    eventual: "none",
    horizon: "none",
    replicas: [],
    ...change,
  };
}

/** A provider's cache whose last copy expired an hour before the evidence was complete. */
function expiringSurface(change: Partial<SurfaceEvidence> = {}): SurfaceEvidence {
  return cleanSurface({
    surface: "prompt-cache",
    role: "cache",
    state: { as: "expiring" },
    scan: "unknown",
    erase: "unknown",
    purge: "unknown",
    required: [],
    probes: [],
    writers: "foreign",
    reingest: "no-path",
    lineage: "not-derived",
    deletion: "expiry",
    horizon: { until: later(-3600), basis: "provider contract" },
    ...change,
  });
}

export function cleanEvidence(change: Partial<Evidence> = {}): Evidence {
  return {
    at: AT,
    target: "person",
    before: { found: true, count: 4 },
    claim: "none",
    trial: "not-run",
    surfaces: [
      cleanSurface({ surface: "episodes", role: "primary", lineage: "not-derived" }),
      cleanSurface({ surface: "summaries" }),
      cleanSurface({ surface: "vectors", role: "index" }),
      expiringSurface(),
    ],
    back: [],
    primaryHolds: [],
    survivors: [],
    suspects: { open: 0, reviewed: 0 },
    denylist: { entries: 6, onContent: true },
    census: { undeclared: [], shared: [] },
    intents: { unresolved: 0 },
    identifiersUnknown: [],
    ledger: "sound",
    bystanders: { checked: 20, intact: 20, lost: 0, lostByPolicy: 0 },
    kept: [],
    beyondBoundary: [],
    waiting: [],
    ...change,
  };
}

/** Clean evidence with one surface changed. */
export function withSurface(
  surface: string,
  change: Partial<SurfaceEvidence>,
  base: Evidence = cleanEvidence(),
): Evidence {
  return { ...base, surfaces: base.surfaces.map((one) => (one.surface === surface ? { ...one, ...change } : one)) };
}

export function survivor(change: Partial<Survivor> = {}): Survivor {
  return {
    surface: "summaries",
    key: "key-for-the-terminal",
    name: "5f".repeat(32),
    container: "memory.summaries",
    probe: "excerpt",
    depth: "api",
    provenance: "reached",
    contentKeyed: false,
    ...change,
  };
}
