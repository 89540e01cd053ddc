// Shows that a provider's cache is never called erased or empty: it expires by its declared bound, or nothing is said of it.
import { describe, expect, it } from "vitest";
import { createProviderCache } from "../../../src/adapters/provider-cache/index.ts";
import type { Horizon, SurfaceDeclaration } from "../../../src/model/declaration.ts";
import { BoundaryError } from "../../../src/model/errors.ts";
import { surfaceId } from "../../../src/model/ids.ts";
import type { Purged } from "../../../src/model/artifact.ts";
import { collect, declare, keys, makeFolder, nobody, parseOptions, signal } from "./open-folder.ts";

const now = new Date("2026-11-30T12:00:00.400Z");
const kind = createProviderCache(() => now);

function entry(given: Partial<SurfaceDeclaration>): Parameters<typeof kind.parse>[0] {
  const { boundary } = boundaryOf();
  return {
    declaration: declare({ id: surfaceId("prompt-cache"), kind: "provider-cache", role: "cache", ...given }),
    connections: [],
    boundary,
    participation: nobody,
  };
}

function boundaryOf(): { boundary: Parameters<typeof kind.parse>[0]["boundary"] } {
  const { path } = makeFolder({});
  return {
    boundary: {
      version: 1,
      id: "test",
      identifiers: ["account"],
      surfaces: [],
      exempt: [],
      census: { include: [], quiet: [] },
      connect: { ledger: `${path}/deleatur.db`, stores: new Map() },
      source: { file: undefined, directory: path },
    },
  };
}

async function purge(horizon?: Horizon): Promise<Purged> {
  const surface = await kind.open(kind.parse(entry(horizon === undefined ? {} : { horizon })));
  return surface.purge(signal);
}

describe("provider-cache", () => {
  it("ATTEST-5: is pending until its declared bound, rounded up to the second, and unsupported without one", async () => {
    expect(await purge({ maxSeconds: 3600, basis: "contract" })).toMatchObject({
      outcome: "pending",
      until: new Date("2026-11-30T13:00:01.000Z"),
    });
    expect(await purge({ basis: "unknown" })).toMatchObject({ outcome: "unsupported" });
    expect(await purge()).toMatchObject({ outcome: "unsupported" });
  });

  it("CLAIM-1: enumerates nothing and says so, erases nothing and says so", async () => {
    expect(kind.guarantees).toMatchObject({ scan: "none", deletion: "expiry", fence: "none" });
    const surface = await kind.open(kind.parse(entry({})));
    expect(await collect(surface.scan(signal))).toEqual([]);
    expect(await surface.erase([], signal)).toEqual([]);
    await expect(surface.erase(keys("x"), signal)).rejects.toThrow(BoundaryError);
    expect(kind.probes({ maxSeconds: 1 })).toEqual([]);
  });

  it("cannot be a primary surface", () => {
    expect(() => kind.parse(entry({ role: "primary" }))).toThrow(BoundaryError);
    expect(() => parseOptions(makeFolder({}), "*.jsonl", { role: "primary" })).not.toThrow();
  });
});
