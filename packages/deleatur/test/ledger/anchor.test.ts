// The anchor: a ledger that was set back is noticed and takes in what it lost; a damaged, shortened or foreign anchor is refused; a crash between the two is no rollback.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { equalBytes } from "@deleatur/verify";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ArtifactRef, RequestId } from "../../src/model/ids.ts";
import {
  close,
  newRequestId,
  refOf,
  temporaryDirectory,
  temporaryLedger,
  type TestLedger,
} from "./temporary-ledger.ts";

const WORDS = "the quick brown fox jumps over the lazy dog while seven others look on from the fence".split(" ");

interface Anchored extends TestLedger {
  readonly anchor: string;
}

function anchoredLedger(): Anchored {
  const anchor = join(temporaryDirectory(), "deleatur.anchor");
  return { ...temporaryLedger({ anchor, boundaryId: "test/anchored" }), anchor };
}

function note(ledger: Ledger, name: string): void {
  ledger.append({ type: "run-started", at: "2026-11-02T08:00:00Z", run: name.padStart(32, "0"), verb: "test" });
}

/** What a request leaves behind, before its first delete. */
function deny(ledger: Ledger, request: RequestId, key: string): void {
  const owner = ledger.identifierDigest({ type: "account", value: "42" });
  ledger.addDenylist(request, [
    { kind: "identifier", digest: owner, shared: false, owners: [owner] },
    { kind: "exact", digest: ledger.keyedDigest("guard/exact", "text", key), shared: false, owners: [owner] },
  ]);
  ledger.putFingerprints([{ request, owners: [owner], grams: ledger.runGrams(ledger.hashWords(WORDS.join(" "))) }]);
  const said: ArtifactRef = refOf("episodes", key);
  const subjects = [{ type: "account", value: `of ${key}` }];
  ledger.recordArtifacts([
    { ref: said, subjects, sources: [], origin: "recorded" },
    { ref: refOf("summaries", key), subjects: [], sources: [said], origin: "recorded" },
  ]);
  ledger.noteRecordOwners(request, [refOf("summaries", key)]);
  ledger.noteErased(request, [{ ref: refOf("episodes", key), tag: ledger.keyedDigest("tag", key), fate: "erased" }]);
}

const knows = (ledger: Ledger, key: string): boolean =>
  ledger.findDenylist("exact", ledger.keyedDigest("guard/exact", "text", key)).length > 0;

/** Who asked for a record that was made from what the person said. */
const asked = (ledger: Ledger, key: string): readonly RequestId[] =>
  ledger.recordRequestsOf([ledger.identifierDigest({ type: "account", value: `of ${key}` })]);

function closedBytes(all: Anchored): Buffer {
  close(all.reopen());
  return readFileSync(all.anchor);
}

function setBack(
  { file }: TestLedger,
  ledger: Ledger,
  between: (ledger: Ledger) => Ledger | void,
  anew: () => Ledger,
): Ledger {
  close(ledger);
  copyFileSync(file, `${file}.backup`);
  const later = anew();
  close(between(later) ?? later);
  for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
  copyFileSync(`${file}.backup`, file);
  return anew();
}

describe("a ledger that was set back", () => {
  it("GUARD-5 C24: is noticed at the next open and takes in entries, runs, erasures, lifts and the log that it lost", () => {
    const all = anchoredLedger();
    const [first, second, third] = [newRequestId(), newRequestId(), newRequestId()];
    note(all.ledger, "a");
    deny(all.ledger, first, "first");
    let rootThen: Uint8Array = new Uint8Array();
    let sizeThen = 0;
    const ledger = setBack(
      all,
      all.ledger,
      (later) => {
        deny(later, second, "second");
        deny(later, third, "third");
        later.liftDenylist({ request: third });
        later.dropFingerprints(third);
        later.liftRequest(third);
        later.liftDenylist({ request: first });
        note(later, "b");
        [rootThen, sizeThen] = [later.logRoot(), later.logSize()];
      },
      () => all.reopen(),
    );
    expect(ledger.anchorState()).toMatchObject({
      is: "rolled-back",
      size: sizeThen - 1,
      anchored: sizeThen,
      isForked: false,
    });
    expect([knows(ledger, "first"), knows(ledger, "second"), knows(ledger, "third")]).toEqual([false, true, false]);
    expect([asked(ledger, "first"), asked(ledger, "second"), asked(ledger, "nobody")]).toEqual([[first], [second], []]);
    const grams = [...ledger.runGrams(ledger.hashWords(WORDS.join(" ")))].map(({ gram }) => gram);
    const holders = new Set(ledger.findFingerprints(grams).map(({ request }) => request));
    expect(holders).toEqual(new Set([first, second]));
    const tag = (key: string): Uint8Array => ledger.keyedDigest("tag", key);
    expect(ledger.erasedUnder(refOf("episodes", "second"), tag("second"))).toEqual([
      { request: second, fate: "erased", isSame: true },
    ]);
    expect(ledger.erasedUnder(refOf("episodes", "second"), tag("other"))).toMatchObject([{ isSame: false }]);
    expect(ledger.erasedUnder(refOf("episodes", "third"), tag("third"))).toEqual([]);
    expect(equalBytes(ledger.logRoot(sizeThen), rootThen)).toBe(true);
    expect(ledger.verifyLog()).toEqual({ ok: true });
    expect(JSON.parse(ledger.logEntry(sizeThen).entry)).toMatchObject({ type: "ledger-rolled-back", adopted: 13 });
  });

  it("GUARD-5: stays rolled back over processes until a replay ends it, and writes nothing into its anchor before", () => {
    const all = anchoredLedger();
    const ledger = setBack(
      all,
      all.ledger,
      (later) => note(later, "b"),
      () => all.reopen(),
    );
    const before = readFileSync(all.anchor);
    note(ledger, "c");
    ledger.flushAnchor();
    close(ledger);
    const again = all.reopen();
    expect(again.anchorState().is).toBe("rolled-back");
    expect(readFileSync(all.anchor)).toEqual(before);
    again.endRollback();
    again.flushAnchor();
    close(again);
    expect(all.reopen().anchorState()).toEqual({ is: "sound" });
    expect(statSync(all.anchor).size).toBeGreaterThan(before.length);
  });

  it("GUARD-5: a ledger from before its anchor was begun is noticed too", () => {
    const anchor = join(temporaryDirectory(), "deleatur.anchor");
    const all = temporaryLedger({ boundaryId: "test/anchored" });
    const [first, second] = [newRequestId(), newRequestId()];
    const ledger = setBack(
      all,
      all.ledger,
      (later) => {
        deny(later, first, "first");
        close(later);
        const anchored = all.reopen({ anchor });
        deny(anchored, second, "second");
        return anchored;
      },
      () => all.reopen(existsSync(anchor) ? { anchor } : {}),
    );
    expect(ledger.anchorState()).toMatchObject({ is: "rolled-back", size: 0 });
    expect([knows(ledger, "first"), knows(ledger, "second")]).toEqual([true, true]);
    expect([asked(ledger, "first"), asked(ledger, "second")]).toEqual([[first], [second]]);
  });

  it("GUARD-5: one that went on another way says that it forked, and keeps both sides' entries", () => {
    const all = anchoredLedger();
    const [lost, own] = [newRequestId(), newRequestId()];
    note(all.ledger, "a");
    close(all.ledger);
    copyFileSync(all.file, `${all.file}.backup`);
    const later = all.reopen();
    deny(later, lost, "lost");
    for (const name of ["b", "c", "d"]) note(later, name);
    close(later);
    for (const end of ["-wal", "-shm"]) rmSync(all.file + end, { force: true });
    copyFileSync(`${all.file}.backup`, all.file);
    // Used for a while by somebody whose boundary names no anchor.
    const unanchored = all.reopen({ anchor: undefined as never });
    deny(unanchored, own, "own");
    for (const name of ["x", "y"]) note(unanchored, name);
    close(unanchored);
    const ledger = all.reopen();
    expect(ledger.anchorState()).toMatchObject({ is: "rolled-back", isForked: true });
    expect([knows(ledger, "lost"), knows(ledger, "own")]).toEqual([true, true]);
    ledger.endRollback();
    ledger.flushAnchor();
    close(ledger);
    const again = all.reopen();
    expect(again.anchorState()).toEqual({ is: "sound" });
    expect(again.verifyLog()).toEqual({ ok: true });
  });
});

describe("a crash between ledger and anchor", () => {
  it("GUARD-5: a ledger that is ahead catches up, and records that the anchor has already are not told twice", () => {
    const all = anchoredLedger();
    note(all.ledger, "a");
    close(all.ledger);
    // The anchor as it stood, beside a ledger that committed more: what a kill before the append leaves.
    const before = readFileSync(all.anchor);
    const later = all.reopen();
    note(later, "b");
    close(later);
    const whole = readFileSync(all.anchor).length;
    const ledgerAfter = all.reopen({ anchor: undefined as never });
    note(ledgerAfter, "c");
    close(ledgerAfter);
    const ledger = all.reopen();
    expect(ledger.anchorState()).toEqual({ is: "sound" });
    expect(readFileSync(all.anchor).length).toBeGreaterThan(whole);
    expect(before.length).toBeLessThan(whole);
  });

  it("GUARD-5: a torn last frame is mended from the ledger, at every byte of it", () => {
    const all = anchoredLedger();
    close(all.ledger);
    const start = readFileSync(all.anchor).length;
    const ahead = all.reopen({ anchor: undefined as never });
    note(ahead, "a");
    close(ahead);
    copyFileSync(all.file, `${all.file}.ahead`);
    const anchored = readFileSync(all.anchor);
    const whole = closedBytes(all);
    expect(whole.length).toBeGreaterThan(start);
    for (let length = start; length <= whole.length; length += 7) {
      copyFileSync(`${all.file}.ahead`, all.file);
      writeFileSync(all.anchor, whole.subarray(0, length));
      const ledger = all.reopen();
      expect(ledger.anchorState()).toEqual({ is: "sound" });
      close(ledger);
      expect(all.reopen().anchorState()).toEqual({ is: "sound" });
    }
    expect(anchored.length).toBe(start);
  });
});

describe("an anchor that changes while a ledger is open", () => {
  it("GUARD-5: cut off, removed or swapped, the next append notices and writes nothing over it", () => {
    for (const change of [
      (file: string) => truncateSync(file, statSync(file).size - 9),
      (file: string) => truncateSync(file, 100),
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, "x".repeat(statSync(file).size)),
    ]) {
      const all = anchoredLedger();
      note(all.ledger, "a");
      all.ledger.flushAnchor();
      expect(all.ledger.anchorState()).toEqual({ is: "sound" });
      change(all.anchor);
      const left = existsSync(all.anchor) ? readFileSync(all.anchor) : undefined;
      note(all.ledger, "b");
      all.ledger.flushAnchor();
      expect(all.ledger.anchorState().is).toBe("lost");
      expect(existsSync(all.anchor) ? readFileSync(all.anchor) : undefined).toEqual(left);
    }
  });
});

describe("processes that are killed, and two at once", () => {
  const script = fileURLToPath(new URL("anchoring-writer.mjs", import.meta.url));

  function start(all: Anchored): Promise<ChildProcess> {
    const child = spawn(process.execPath, [script, all.file, all.anchor], { stdio: ["ignore", "pipe", "inherit"] });
    return once(child.stdout, "data").then(() => child);
  }

  it("GUARD-5: killed with -9 at any moment, two writers of one ledger leave an anchor that is sound", async () => {
    const all = anchoredLedger();
    close(all.ledger);
    for (let kill = 0; kill < 3; kill += 1) {
      const children = await Promise.all([start(all), start(all)]);
      for (const child of children) {
        await sleep(Math.random() * 60);
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        expect((await gone)[1]).toBe("SIGKILL");
      }
      const ledger = all.reopen();
      expect(ledger.anchorState()).toEqual({ is: "sound" });
      expect(ledger.verifyLog()).toEqual({ ok: true });
      close(ledger);
    }
  }, 120_000);
});

describe("an anchor that was tampered with", () => {
  it("GUARD-5: every flipped bit, of head, body and tag, is noticed", () => {
    const all = anchoredLedger();
    deny(all.ledger, newRequestId(), "first");
    close(all.ledger);
    const sound = readFileSync(all.anchor);
    for (let at = 0; at < sound.length; at += 13) {
      const flipped = Buffer.from(sound);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(all.anchor, flipped);
      const ledger = all.reopen();
      expect(ledger.anchorState().is, `byte ${at}`).toBe("lost");
      close(ledger);
      expect(readFileSync(all.anchor)).toEqual(flipped);
    }
  });

  it("GUARD-5: a flipped bit in what a set-back ledger lost is never cut off as a torn end", () => {
    const all = anchoredLedger();
    const sizes: number[] = [];
    const ledger = setBack(
      all,
      all.ledger,
      (later) => {
        for (const name of ["b", "c", "d"]) {
          sizes.push(statSync(all.anchor).size);
          note(later, name);
          later.flushAnchor();
        }
        const bytes = readFileSync(all.anchor);
        const at = (sizes[1] ?? 0) + 1;
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        writeFileSync(all.anchor, bytes);
      },
      () => all.reopen(),
    );
    expect(ledger.anchorState()).toMatchObject({ is: "lost" });
    expect(statSync(all.anchor).size).toBeGreaterThan(sizes[2] ?? 0);
  });

  it("GUARD-5: cut off at any place, removed, or put back as it was, it is lost and not begun anew by itself", () => {
    const all = anchoredLedger();
    note(all.ledger, "a");
    close(all.ledger);
    const earlier = readFileSync(all.anchor);
    const later = all.reopen();
    note(later, "b");
    close(later);
    const whole = readFileSync(all.anchor);
    for (const length of [0, 5, 40, earlier.length, earlier.length + 20, whole.length - 1]) {
      writeFileSync(all.anchor, whole);
      truncateSync(all.anchor, length);
      const ledger = all.reopen();
      expect(ledger.anchorState().is, `cut to ${length}`).toBe("lost");
      close(ledger);
    }
    rmSync(all.anchor);
    const ledger = all.reopen();
    expect(ledger.anchorState()).toEqual({ is: "lost", why: "it is missing, and this ledger had one" });
    close(ledger);
    expect(existsSync(all.anchor)).toBe(false);
    writeFileSync(all.anchor, whole);
    expect(all.reopen().anchorState()).toEqual({ is: "sound" });
  });

  it("GUARD-5: another memory's anchor, and a file that is none, are refused and left as they are", () => {
    const [mine, other] = [anchoredLedger(), anchoredLedger()];
    for (const { ledger } of [mine, other]) close(ledger);
    copyFileSync(other.anchor, mine.anchor);
    const swapped = mine.reopen();
    expect(swapped.anchorState().is).toBe("lost");
    close(swapped);
    expect(readFileSync(mine.anchor)).toEqual(readFileSync(other.anchor));
    const unanchored = temporaryLedger();
    close(unanchored.ledger);
    for (const bytes of ["short", "x".repeat(400)]) {
      const file = join(temporaryDirectory(), "notes.txt");
      writeFileSync(file, bytes);
      const ledger = unanchored.reopen({ anchor: file });
      expect(ledger.anchorState().is).toBe("lost");
      close(ledger);
      expect(readFileSync(file, "utf8")).toBe(bytes);
    }
  });

  it("GUARD-5: a lost anchor is begun anew by a named act only, with all that the ledger knows", () => {
    const all = anchoredLedger();
    const request = newRequestId();
    deny(all.ledger, request, "first");
    expect(() => all.ledger.renewAnchor({ role: "operator", reason: "DISK_LOST" })).toThrow(
      expect.objectContaining({ code: "ANCHOR_NOT_LOST" }) as Error,
    );
    close(all.ledger);
    rmSync(all.anchor);
    const ledger = all.reopen();
    ledger.renewAnchor({ role: "operator", reason: "DISK_LOST" });
    expect(ledger.anchorState()).toEqual({ is: "sound" });
    const lost = setBack(
      all,
      ledger,
      (later) => deny(later, newRequestId(), "second"),
      () => all.reopen(),
    );
    expect(lost.anchorState().is).toBe("rolled-back");
    expect([knows(lost, "first"), knows(lost, "second")]).toEqual([true, true]);
  });
});

describe("the anchor's privacy", () => {
  it("PRIVACY-1: neither a keyed digest of the ledger nor a word of its log stands in the file", () => {
    const all = anchoredLedger();
    deny(all.ledger, newRequestId(), "first");
    const digests = [
      all.ledger.identifierDigest({ type: "account", value: "42" }),
      all.ledger.keyedDigest("guard/exact", "text", "first"),
      all.ledger.artifactDigest(refOf("episodes", "first")),
    ];
    close(all.ledger);
    const bytes = readFileSync(all.anchor);
    expect(bytes.length).toBeGreaterThan(500);
    for (const digest of digests) expect(bytes.includes(Buffer.from(digest.subarray(0, 12)))).toBe(false);
    for (const word of ["episodes", "anchor-begun", "account"]) expect(bytes.includes(word)).toBe(false);
  });
});
