// Which log entries a receipt discloses: the boundary's versions of the 90 days before the request, and the request's own steps.
import { describe, expect, it } from "vitest";
import { boundaryDigest, canonicalJson, type PublicForm, toHex, verifyReceipt } from "@deleatur/verify";
import { assembleReceipt } from "../../src/attest/assemble-receipt.ts";
import { composeStatement } from "../../src/attest/compose-statement.ts";
import { findLogTrail } from "../../src/attest/log-trail.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RequestId } from "../../src/model/ids.ts";
import { codeOf, newRequestId, temporaryLedger } from "../ledger/temporary-ledger.ts";
import { FORM, judged, logScene } from "./receipt-scene.ts";

function appendVersion(ledger: Ledger, version: number, at: string, surfaces: readonly string[]): number {
  const digest = version.toString(16).padStart(64, "0");
  const declared = surfaces.map((id) => ({ id, role: "primary" as const }));
  return ledger.append({ type: "boundary-version", at, boundary: FORM.id, version, digest, surfaces: declared });
}

function appendRequest(
  ledger: Ledger,
  type: "request-opened" | "request-pinned",
  request: RequestId,
  version: number,
): number {
  // prettier-ignore
  const boundary = { id: FORM.id, version, digest: version.toString(16).padStart(64, "0") };
  return ledger.append({ type, at: "2026-11-02T08:00:00Z", request, target: "records", who: [], boundary });
}

describe("the trail of a request", () => {
  it("VERIFY-1: discloses the versions of 90 days, the one before them, and no later one than the attested", () => {
    const { ledger } = temporaryLedger({ boundaryId: FORM.id });
    appendVersion(ledger, 1, "2026-01-01T00:00:00Z", ["a"]);
    const two = appendVersion(ledger, 2, "2026-06-01T00:00:00Z", ["a"]);
    const three = appendVersion(ledger, 3, "2026-10-01T00:00:00Z", ["a", "b"]);
    const request = newRequestId();
    const opened = appendRequest(ledger, "request-opened", request, 3);
    appendVersion(ledger, 4, "2026-11-02T08:00:01Z", ["a"]);
    const trail = findLogTrail(ledger, { request, boundaryVersion: 3, epoch: null });
    expect(trail.disclosed).toEqual([two, three, opened]);
  });

  it("names the last re-pinning, the last end of a purge, and the epoch asked for", () => {
    const { ledger } = temporaryLedger({ boundaryId: FORM.id });
    const version = appendVersion(ledger, 1, "2026-11-01T00:00:00Z", ["a"]);
    const [request, other] = [newRequestId(), newRequestId()];
    const opened = appendRequest(ledger, "request-opened", request, 1);
    appendRequest(ledger, "request-opened", other, 1);
    ledger.append({ type: "purge-finished", at: "2026-11-02T08:00:00Z", request });
    const pinned = appendRequest(ledger, "request-pinned", request, 1);
    const purged = ledger.append({ type: "purge-finished", at: "2026-11-02T08:00:01Z", request });
    ledger.append({ type: "purge-finished", at: "2026-11-02T08:00:01Z", request: other });
    const root = "0".repeat(64);
    const boundary = { id: FORM.id, version: 1, digest: root };
    const roots = [1, 2, 3].map(
      (epoch) =>
      ledger.append({ type: "epoch-roots", at: "2026-11-02T08:00:02Z", boundary, epoch, root, surfaces: [], logSizeAtScan: 6 }), // prettier-ignore
    );
    const trail = findLogTrail(ledger, { request, boundaryVersion: 1, epoch: 2 });
    expect(trail.indices).toEqual({ request: pinned, purgeFinished: purged, epochRoots: roots[1] });
    expect(trail.disclosed).toEqual([version, opened, pinned, purged, roots[1]]);
  });

  it("stops where the log lacks the opening or the attested version", () => {
    const { ledger } = temporaryLedger({ boundaryId: FORM.id });
    const request = newRequestId();
    appendVersion(ledger, 1, "2026-11-01T00:00:00Z", ["a"]);
    expect(codeOf(() => findLogTrail(ledger, { request, boundaryVersion: 1, epoch: null }))).toBe("LOG_INCOMPLETE");
    appendRequest(ledger, "request-opened", request, 2);
    expect(codeOf(() => findLogTrail(ledger, { request, boundaryVersion: 2, epoch: null }))).toBe("LOG_INCOMPLETE");
  });

  it("VERIFY-1: a surface that was dropped shortly before the request comes out as a warning", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const { ledger, setClock } = test;
    const attic = FORM.surfaces.slice(0, 1).map((surface) => ({ ...surface, id: "attic" }));
    const wider: PublicForm = { ...FORM, surfaces: [...attic, ...FORM.surfaces] };
    const digest = toHex(boundaryDigest(wider));
    ledger.recordBoundary(digest, canonicalJson(wider));
    const surfaces = wider.surfaces.map(({ id, role }) => ({ id, role }));
    ledger.append({
      type: "boundary-version",
      at: "2026-10-20T00:00:00Z",
      boundary: FORM.id,
      version: 1,
      digest,
      surfaces,
    });
    const withheld = judged({ kind: "withheld", code: "SURVIVOR_FOUND", resumable: true, risks: [] });
    const { input } = logScene(ledger, setClock, withheld);
    const statement = composeStatement(input);
    const { bytes } = ledger.transaction(() =>
      assembleReceipt({ statement, signer: ledger.keys, log: ledger, disclosed: input.log.disclosed, exclusion: null }),
    );
    const { checks } = verifyReceipt(bytes, {
      publicKeys: [ledger.keys.publicKey],
      threshold: 1,
      acceptSelfAttested: true,
      auditorKeys: [],
      now: new Date("2026-11-02T10:00:00Z"),
    });
    const history = checks.filter(({ code }) => code === "BOUNDARY_HISTORY");
    expect(history.map(({ status, surface }) => [status, surface])).toEqual([["warn", "attic"]]);
  });
});
