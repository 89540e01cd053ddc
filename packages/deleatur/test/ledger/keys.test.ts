// Keys: made once, never for a ledger that exists, unreadable to others, exported under a passphrase only.
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { parsePublicKey, verifyEd25519 } from "@deleatur/verify";
import { describe, expect, test } from "vitest";
import { exportKeys, importKeys } from "../../src/ledger/key-export.ts";
import { openKeys } from "../../src/ledger/open-keys.ts";
import { openLedger } from "../../src/ledger/open-ledger.ts";
import { bytesOnDisk, close, codeOf, random, temporaryDirectory, temporaryLedger } from "./temporary-ledger.ts";

const clock = (): Date => new Date("2026-11-02T08:00:00Z");
const NAMES = ["guard", "request", "signing"] as const;

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("opening keys", () => {
  test("makes them once", () => {
    const { file, keys, reopen } = temporaryLedger();
    const directory = `${file}.keys`;
    expect(readdirSync(directory).toSorted()).toEqual([...NAMES, "ledger-made"].toSorted());
    expect(reopen().keys.publicKeyPem()).toBe(keys.publicKeyPem());
  });

  test.skipIf(process.platform === "win32")("lets nobody else read ledger or keys", () => {
    const { file } = temporaryLedger();
    expect(modeOf(`${file}.keys`)).toBe(0o700);
    expect(NAMES.map((name) => modeOf(join(`${file}.keys`, name)))).toEqual([0o600, 0o600, 0o600]);
    expect(modeOf(file)).toBe(0o600);
  });

  test.each(NAMES)("refuses a ledger whose %s key is lost, and makes no new one", (name) => {
    const { file, ledger } = temporaryLedger();
    close(ledger);
    rmSync(join(`${file}.keys`, name));
    expect(codeOf(() => openKeys({ file, environment: {}, random }))).toBe("KEY_MISSING");
    expect(readdirSync(`${file}.keys`)).not.toContain(name);
  });

  test.each(NAMES)("refuses a ledger with the %s key of another", (name) => {
    const { file, ledger } = temporaryLedger();
    const { file: foreign } = temporaryLedger();
    close(ledger);
    writeFileSync(join(`${file}.keys`, name), readFileSync(join(`${foreign}.keys`, name)));
    const keys = openKeys({ file, environment: {}, random });
    expect(codeOf(() => openLedger({ file, keys, clock, random }))).toBe("KEY_WRONG");
  });

  test.skipIf(process.platform === "win32")("refuses keys that others may read, and says how to mend it", () => {
    const { file, ledger } = temporaryLedger();
    close(ledger);
    chmodSync(join(`${file}.keys`, "guard"), 0o640);
    expect(codeOf(() => openKeys({ file, environment: {}, random }))).toBe("KEY_MODE");
    chmodSync(join(`${file}.keys`, "guard"), 0o600);
    chmodSync(`${file}.keys`, 0o755);
    expect(() => openKeys({ file, environment: {}, random })).toThrow("other users may read");
  });

  test("takes them from the environment, and leaves no file then", () => {
    const { file: donor } = temporaryLedger();
    const text = (name: string): Buffer => readFileSync(join(`${donor}.keys`, name));
    const environment = {
      DELEATUR_GUARD_KEY: text("guard").toString("base64"),
      DELEATUR_REQUEST_KEY: text("request").toString("base64"),
      DELEATUR_SIGNING_KEY: text("signing").toString(),
    };
    const directory = temporaryDirectory();
    const file = join(directory, "ledger.db");
    const keys = openKeys({ file, environment, random });
    const ledger = openLedger({ file, keys, clock, random });
    ledger.close();
    expect(readdirSync(directory)).toEqual(["ledger.db"]);
    const wrong = { ...environment, DELEATUR_GUARD_KEY: "short" };
    expect(codeOf(() => openKeys({ file, environment: wrong, random }))).toBe("KEY_WRONG");
    const noPem = { ...environment, DELEATUR_SIGNING_KEY: "no pem" };
    expect(codeOf(() => openKeys({ file, environment: noPem, random }))).toBe("KEY_WRONG");
    expect(codeOf(() => openKeys({ file, environment: {}, random }))).toBe("KEY_MISSING");
  });

  test("signs so that the verifier's own check passes", () => {
    const { keys } = temporaryLedger();
    const message = random(40);
    const signature = new Uint8Array(keys.sign(message));
    expect(verifyEd25519(parsePublicKey(keys.publicKeyPem()), message, signature)).toBe(true);
  });

  test("PRIVACY-1: prints no key when it is logged by accident", () => {
    const { keys, file } = temporaryLedger();
    const guard = readFileSync(join(`${file}.keys`, "guard"));
    const printed = inspect(keys, { depth: 5, showHidden: true }) + JSON.stringify(keys);
    expect(printed).not.toContain([...guard.subarray(0, 4)].join(", "));
    expect(printed).not.toContain([...guard.subarray(0, 4)].join(","));
    expect(printed).not.toContain("PRIVATE KEY");
  });
});

describe("exported keys", () => {
  const passphrase = "correct horse battery";

  test("open the ledger again elsewhere, epoch keys included", () => {
    const { ledger, keys, file } = temporaryLedger();
    const { key } = ledger.newEpoch();
    const exported = exportKeys(keys, passphrase, random);
    close(ledger);
    rmSync(`${file}.keys`, { recursive: true });
    expect(importKeys(exported, passphrase, file).toSorted()).toEqual(["epoch-1", ...NAMES].toSorted());
    expect(importKeys(exported, passphrase, file)).toEqual([]);
    const again = openLedger({ file, keys: openKeys({ file, environment: {}, random }), clock, random });
    expect(again.epochKey(1)).toEqual(key);
    again.close();
  });

  test("show nothing without the passphrase, and are refused when damaged or foreign", () => {
    const { keys, file } = temporaryLedger();
    const exported = exportKeys(keys, passphrase, random);
    expect(exported).not.toContain(readFileSync(join(`${file}.keys`, "guard")).toString("base64"));
    const target = join(temporaryDirectory(), "ledger.db");
    expect(codeOf(() => importKeys(exported, "another passphrase", target))).toBe("KEY_PASSPHRASE");
    expect(codeOf(() => importKeys(exported.slice(0, -40), passphrase, target))).toBe("KEY_EXPORT_DAMAGED");
    expect(codeOf(() => importKeys("{}", passphrase, target))).toBe("KEY_EXPORT_DAMAGED");
    expect(codeOf(() => importKeys(exported.replace("131072", "1073741824"), passphrase, target))).toBe(
      "KEY_EXPORT_DAMAGED",
    );
    expect(codeOf(() => exportKeys(keys, "short", random))).toBe("WEAK_PASSPHRASE");
  });

  test("never replace a key that is there", () => {
    const { keys } = temporaryLedger();
    const { file } = temporaryLedger();
    expect(codeOf(() => importKeys(exportKeys(keys, passphrase, random), passphrase, file))).toBe("KEY_EXISTS");
  });
});

describe("epoch keys", () => {
  test("stand in the key store only, one for each number, and are gone when destroyed", () => {
    const { ledger, directory, file } = temporaryLedger();
    const first = ledger.newEpoch();
    const second = ledger.newEpoch();
    expect([first.epoch, second.epoch]).toEqual([1, 2]);
    expect(first.key).not.toEqual(second.key);
    expect(bytesOnDisk(directory).includes(Buffer.from(first.key))).toBe(false);
    ledger.recordEpoch(1, { root: "ab", boundaryDigest: "cd", begun: "a", finished: "b", surfaces: [{ id: "x" }] });
    ledger.destroyEpochKey(1);
    expect(ledger.epochKey(1)).toBeUndefined();
    expect(ledger.epochKey(2)).toEqual(second.key);
    expect(ledger.epochs()).toMatchObject([
      { epoch: 1, state: "recorded", keyDestroyed: true, surfaces: [{ id: "x" }] },
      { epoch: 2, state: "begun", keyDestroyed: false },
    ]);
    expect(readdirSync(`${file}.keys`)).not.toContain("epoch-1");
    expect(
      codeOf(() => ledger.recordEpoch(1, { root: "other", boundaryDigest: "", begun: "", finished: "", surfaces: [] })),
    ).toBe("EPOCH_RECORDED");
  });

  test("of a number are never made twice, also when its row was lost", () => {
    const { ledger } = temporaryLedger();
    expect(() =>
      ledger.transaction(() => {
        ledger.newEpoch();
        throw new Error("crash");
      }),
    ).toThrow("crash");
    expect(ledger.newEpoch().epoch).toBe(2);
  });
});
