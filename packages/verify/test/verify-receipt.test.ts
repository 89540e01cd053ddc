// What good receipts amount to, under what the verifier brings of its own.
import { describe, expect, it } from "vitest";
import {
  CHECK_CODES,
  formatPersonCode,
  parseExpectList,
  parsePersonCode,
  publicKeyPem,
  toBase64,
  toHex,
  verifyReceipt,
  type Receipt,
  type VerifyOptions,
  type VerifyReport,
} from "../src/index.ts";
import {
  ALL,
  AUDITOR,
  EPISODES,
  IDENTIFIERS,
  NOW,
  OPERATOR,
  PERSON_CODE,
  PROMPT_CACHE,
  publicForm,
  SECOND,
  STRANGER,
  SUMMARIES,
  VECTORS,
} from "./fixture/declared.ts";
import { erasurePlan, prove, recommit, tombstonePlan, withheldPlan, type EpochPlan } from "./fixture/plan.ts";
import { keyOf } from "./fixture/scanned.ts";
import { cosign, seal } from "./fixture/sealed.ts";

const OPTIONS: VerifyOptions = {
  publicKeys: [OPERATOR.publicKey],
  threshold: 1,
  scope: { boundary: JSON.stringify(publicForm()) },
  acceptSelfAttested: true,
  auditorKeys: [],
  now: NOW,
};
const { scope: _, ...UNSCOPED } = OPTIONS;

function verify(receipt: Receipt, options: Partial<VerifyOptions> = {}): VerifyReport {
  return verifyReceipt(JSON.stringify(receipt), { ...OPTIONS, ...options });
}

function failing(report: VerifyReport): readonly string[] {
  return report.checks
    .filter(({ status }) => status === "fail")
    .map(({ code, surface }) => `${code} ${surface ?? ""}`.trim());
}

function statusOf(report: VerifyReport, code: string): readonly string[] {
  return report.checks.filter((check) => check.code === code).map(({ status }) => status);
}

function edited(edit: (plan: EpochPlan) => void): Receipt {
  const plan = erasurePlan();
  edit(plan);
  return seal(plan);
}

describe("a good receipt", () => {
  it("of an erasure is an erasure, with every check said and none failed (VERIFY-3, VERIFY-4, ATTEST-1)", () => {
    const report = verify(seal(erasurePlan()));
    expect(failing(report)).toEqual([]);
    expect(report.outcome).toEqual({ kind: "erasure", exitCode: 0 });
    expect(report.scope).toBe("pinned public form");
    expect([...new Set(report.checks.map(({ code }) => code))]).toEqual(CHECK_CODES);
    expect(statusOf(report, "EXCLUSION")).toEqual(Array.from({ length: 6 }, () => "pass"));
    expect(report.restsOnMathematics.join("\n")).toContain("37 queries");
    expect(report.restsOnOperator.join("\n")).toContain("self-attested");
  });

  it("verifies from its bytes, with white space, and with the key in every spelling", () => {
    const text = JSON.stringify(seal(erasurePlan()), null, 2);
    for (const key of [OPERATOR.publicKey, toBase64(OPERATOR.publicKey), publicKeyPem(OPERATOR.publicKey)]) {
      const report = verifyReceipt(new TextEncoder().encode(text), { ...OPTIONS, publicKeys: [key] });
      expect(report.outcome.exitCode).toBe(0);
    }
  });

  it("of a tombstone is a tombstone whatever is accepted (VERIFY-2, ATTEST-2)", () => {
    const report = verify(seal(tombstonePlan()));
    expect(failing(report)).toEqual([]);
    expect(report.outcome).toEqual({ kind: "tombstone", exitCode: 20 });
    expect(report.restsOnOperator).toContain("uncovered, nothing is shown: summaries");
  });

  it("of a refusal is withheld, and claims nothing (ATTEST-3)", () => {
    const report = verify(seal(withheldPlan()));
    expect(failing(report)).toEqual([]);
    expect(report.outcome).toEqual({ kind: "withheld", exitCode: 21 });
    expect(statusOf(report, "EXCLUSION")).toEqual(["not-applicable"]);
  });

  it("of a refusal after a scan is held against the logged roots (ATTEST-3)", () => {
    const epoch = erasurePlan();
    const plan = withheldPlan();
    plan.entries = epoch.entries;
    plan.predicate.epoch = epoch.predicate.epoch;
    plan.subjectDigest = epoch.subjectDigest;
    expect(verify(seal(plan)).outcome.exitCode).toBe(21);
    plan.subjectDigest = "00".repeat(32);
    expect(failing(verify(seal(plan)))).toEqual(["LOG_BINDING"]);
  });

  it("with a horizon still open is valid and not yet effective, until it is (ATTEST-8)", () => {
    const receipt = edited((plan) => {
      const cache = plan.predicate.surfaces.find(({ id }) => id === "prompt-cache");
      if (cache?.horizon) cache.horizon.until = Date.parse("2026-11-02T15:05:00Z") / 1_000;
      plan.predicate.effective = "2026-11-02T15:05:00Z";
      recommit(plan);
    });
    expect(verify(receipt, { now: new Date("2026-11-02T15:04:59Z") }).outcome).toEqual({
      kind: "not-yet-effective",
      exitCode: 22,
    });
    expect(verify(receipt, { now: new Date("2026-11-02T15:05:00Z") }).outcome.exitCode).toBe(0);
  });
});

describe("the scope is the verifier's own (VERIFY-1)", () => {
  it("without one, at most the signature holds, for every kind", () => {
    for (const plan of [erasurePlan(), tombstonePlan(), withheldPlan()]) {
      const report = verifyReceipt(JSON.stringify(seal(plan)), UNSCOPED);
      expect(report.outcome).toEqual({ kind: "signature-holds", exitCode: 23, missing: ["scope"] });
      expect(report.scope).toBe("not checked");
      expect(statusOf(report, "SCOPE")).toEqual(["not-reached"]);
    }
  });

  it("can be a list of data locations and exemptions", () => {
    const lines =
      "# ours\n\nepisodes primary\nprompt-cache cache\r\nsummaries derived\n  vectors   index\nexempt payments-log\n";
    const report = verify(seal(erasurePlan()), { scope: { expect: parseExpectList(lines) } });
    expect(report.outcome.exitCode).toBe(0);
    expect(report.scope).toBe("own list");
  });

  it.each([
    ["no horizon", null],
    ["no bound", { maxSeconds: null, basis: "none is known" }],
  ])("under a list too, nothing expires that the attested inventory gives %s (ATTEST-8)", (_what, horizon) => {
    const plan = erasurePlan({ surfaces: [EPISODES, { ...PROMPT_CACHE, horizon }, SUMMARIES, VECTORS] });
    const lines = "episodes primary\nprompt-cache cache\nsummaries derived\nvectors index\nexempt payments-log";
    const report = verify(seal(plan), { scope: { expect: parseExpectList(lines) } });
    expect(failing(report)).toEqual(["HORIZON_BOUNDS prompt-cache"]);
    expect(report.outcome.exitCode).toBe(24);
  });

  it.each([
    [
      "a role differs",
      "episodes derived\nprompt-cache cache\nsummaries derived\nvectors index\nexempt payments-log",
      ["SCOPE episodes", "SCOPE episodes"],
    ],
    [
      "one is missing",
      "episodes primary\nprompt-cache cache\nsummaries derived\nexempt payments-log",
      ["SCOPE vectors"],
    ],
    ["an exemption is missing", "episodes primary\nprompt-cache cache\nsummaries derived\nvectors index", ["SCOPE"]],
    [
      "an exemption is another",
      "episodes primary\nprompt-cache cache\nsummaries derived\nvectors index\nexempt x",
      ["SCOPE"],
    ],
  ])("is not met by a list where %s", (_name, lines, fails) => {
    const report = verify(seal(erasurePlan()), { scope: { expect: parseExpectList(lines) } });
    expect(failing(report)).toEqual(fails);
  });

  it.each([
    "episodes",
    "episodes master",
    "exempt",
    "episodes primary\nepisodes primary",
    "",
    "episodes primary\nexempt a\nexempt a",
  ])("refuses the list %j", (lines) => expect(() => parseExpectList(lines)).toThrow(RangeError));

  it("C20: a certificate that lists three stores is invalid where the boundary has four, and names the fourth", () => {
    const three = seal(erasurePlan({ surfaces: [EPISODES, PROMPT_CACHE, VECTORS] }));
    const report = verify(three);
    expect(report.outcome).toEqual({ kind: "invalid", exitCode: 24 });
    expect(failing(report)).toEqual(["SCOPE", "SCOPE summaries"]);
    expect(statusOf(report, "SIGNATURES")).toEqual(["pass"]);
    // Under its own boundary nothing is wrong with it.
    expect(
      verify(three, { scope: { boundary: JSON.stringify(publicForm([EPISODES, PROMPT_CACHE, VECTORS])) } }).outcome
        .exitCode,
    ).toBe(0);
  });

  it("is not met by another boundary of the same data locations", () => {
    const form = { ...publicForm(), horizonLimit: { cache: 1, backup: 1 } };
    expect(failing(verify(seal(erasurePlan()), { scope: { boundary: JSON.stringify(form) } }))).toEqual(["SCOPE"]);
  });

  it("warns of a data location that was dropped in the 90 days before the request", () => {
    const receipt = edited((plan) => {
      const current = plan.entries[1];
      if (current?.entry.type !== "boundary-version" || !("surfaces" in current.entry))
        throw new Error("no version entry");
      const earlier = structuredClone(current);
      Object.assign(earlier.entry, { digest: "00".repeat(32), at: "2026-05-01T00:00:00Z" });
      Object.assign(current.entry, { version: 2, at: "2026-10-01T00:00:00Z" });
      Object.assign(earlier.entry, { surfaces: [...current.entry.surfaces, { id: "zz-notes", role: "log" }] });
      plan.entries[0] = earlier;
      plan.predicate.boundary.version = 2;
      for (const { entry } of plan.entries)
        if ((entry.type === "request-opened" || entry.type === "epoch-roots") && "boundary" in entry)
          Object.assign(entry.boundary, { version: 2 });
    });
    const report = verify(receipt);
    expect(report.outcome.exitCode).toBe(0);
    expect(report.checks.filter(({ code }) => code === "BOUNDARY_HISTORY")).toMatchObject([
      { status: "warn", surface: "zz-notes" },
    ]);
  });
});

describe("who signed and who looked twice (VERIFY-5)", () => {
  const plan = erasurePlan();
  const receipt = seal(plan);
  const alone = { acceptSelfAttested: false } as const;

  it("an erasure that nobody co-signed lacks a second pair of eyes", () => {
    expect(verify(receipt, alone).outcome).toEqual({
      kind: "signature-holds",
      exitCode: 23,
      missing: ["second pair of eyes"],
    });
  });

  it("a trusted auditor's co-signature is one", () => {
    const cosigned = { ...receipt, cosignatures: [cosign(plan, receipt, AUDITOR)] };
    const report = verify(cosigned, { ...alone, auditorKeys: [AUDITOR.publicKey] });
    expect(report.outcome.exitCode).toBe(0);
    expect(report.restsOnOperator.join("\n")).not.toContain("self-attested");
  });

  it.each([
    ["of an auditor whom nobody trusts", STRANGER, [AUDITOR.publicKey]],
    ["of the operator under the name of an auditor", OPERATOR, [OPERATOR.publicKey]],
    ["without any auditor trusted", AUDITOR, []],
  ])("a co-signature %s is none", (_name, by, auditorKeys) => {
    const cosigned = { ...receipt, cosignatures: [cosign(plan, receipt, by)] };
    expect(verify(cosigned, { ...alone, auditorKeys }).outcome.exitCode).toBe(23);
  });

  it("a threshold counts distinct pinned keys", () => {
    const two = { publicKeys: [OPERATOR.publicKey, SECOND.publicKey], threshold: 2 };
    expect(failing(verify(receipt, two))).toEqual(["SIGNATURES"]);
    const both = edited((each) => each.signers.push(SECOND));
    expect(verify(both, two).outcome.exitCode).toBe(0);
  });

  it("the log may have a key of its own", () => {
    const own = edited((each) => {
      each.logSigner = SECOND;
    });
    expect(failing(verify(own))).toEqual(["LOG_CHECKPOINT"]);
    expect(verify(own, { logKeys: [SECOND.publicKey] }).outcome.exitCode).toBe(0);
  });

  it("options that are wrong are the caller's fault and thrown", () => {
    for (const wrong of [
      { threshold: 0 },
      { now: new Date(Number.NaN) },
      { publicKeys: ["x"] },
      { scope: { boundary: "{" } },
    ])
      expect(() => verify(receipt, wrong)).toThrow(/./);
  });
});

describe("a person's receipt (VERIFY-6)", () => {
  const receipt = seal(erasurePlan());

  it("is bound to them by the code that the letter carries", () => {
    const report = verify(receipt, {
      personCode: parsePersonCode(formatPersonCode(PERSON_CODE)),
      identifiers: IDENTIFIERS,
    });
    expect(report.outcome.exitCode).toBe(0);
    expect(statusOf(report, "PERSON")).toEqual(["pass"]);
  });

  it.each([
    ["another person", PERSON_CODE, [{ type: "account", identifier: "43" }]],
    ["the same identifier under another type", PERSON_CODE, [{ type: "thread", identifier: "42" }]],
    ["another code", new Uint8Array(32).fill(8), IDENTIFIERS],
    ["one identifier more than the request had", PERSON_CODE, [...IDENTIFIERS, { type: "thread", identifier: "t1" }]],
  ])("is not one of %s", (_name, personCode, identifiers) => {
    expect(failing(verify(receipt, { personCode, identifiers }))).toEqual(["PERSON"]);
  });

  it("says so where code or identifiers are missing, and holds nothing in clear", () => {
    expect(statusOf(verify(receipt, { personCode: PERSON_CODE }), "PERSON")).toEqual(["warn"]);
    expect(statusOf(verify(receipt, { identifiers: IDENTIFIERS }), "PERSON")).toEqual(["warn"]);
    const text = JSON.stringify(receipt) + atob(receipt.envelope.payload);
    for (const secret of ["ann@example.org", "Lyon", "e1", '"42"', toHex(PERSON_CODE)])
      expect(text).not.toContain(`"${secret}"`);
  });

  it("has a code that a slip of the pen does not turn into another", () => {
    const code = formatPersonCode(PERSON_CODE);
    expect(code).toMatch(/^([0-9A-Z]{7}-){7}[0-9A-Z]{7}$/);
    expect(
      parsePersonCode(` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `),
    ).toEqual(PERSON_CODE);
    for (let at = 0; at < code.length; at += 1) {
      if (code.charAt(at) === "-") continue;
      const slip = `${code.slice(0, at)}${code.charAt(at) === "Z" ? "Y" : "Z"}${code.slice(at + 1)}`;
      expect(() => parsePersonCode(slip)).toThrow(RangeError);
    }
    for (const wrong of ["", code.slice(1), `${code}0`, code.replace("0", "U")])
      expect(() => parsePersonCode(wrong)).toThrow(RangeError);
  });
});

describe("sealed receipts and left-out queries (VERIFY-3)", () => {
  it("sealed, exclusion is missing until the keys are handed over", () => {
    const sealed = { ...seal(erasurePlan()), epochKeys: null };
    const report = verify(sealed);
    expect(report.outcome).toEqual({ kind: "signature-holds", exitCode: 23, missing: ["exclusion"] });
    expect(statusOf(report, "EXCLUSION")).toEqual(["not-reached"]);
    const epochKeys = Object.fromEntries(ALL.map(({ id }) => [id, keyOf(id)]));
    expect(verify(sealed, { epochKeys }).outcome.exitCode).toBe(0);
    expect(failing(verify(sealed, { epochKeys: { ...epochKeys, episodes: keyOf("x") } }))).toEqual([
      "EPOCH_KEYS episodes",
    ]);
  });

  it("content that another person also has may be left out where it is listed, and is counted", () => {
    const receipt = edited((plan) => {
      const name = plan.manifest?.artifacts[0]?.name02[0] ?? "";
      plan.predicate.closure.dropped = [{ kind: 2, surface: "episodes", name, why: "shared" }];
      prove(plan);
    });
    const report = verify(receipt);
    expect(report.outcome.exitCode).toBe(0);
    expect(statusOf(report, "DROPPED")).toEqual(["warn"]);
    expect(report.restsOnOperator.join("\n")).toContain("1 queries are left out because a record of another person");
  });

  it("C22: a key that a lawful row has taken again is asked for with its content instead", () => {
    const plan = erasurePlan({
      rows: [{ surface: "vectors", key: "1", text: "another vector", subjects: [], sources: [] }],
    });
    // The fixture's honest queries find the key taken again.
    expect(failing(verify(seal(plan)))).toEqual(["EXCLUSION vectors"]);
    const taken = plan.manifest?.artifacts.filter((each) => each.surface === "vectors") ?? [];
    plan.predicate.closure.dropped = taken
      .map(({ name01 }) => ({ kind: 1, surface: "vectors", name: name01, why: "reused" }) as const)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    prove(plan);
    const report = verify(seal(plan));
    expect(failing(report)).toEqual([]);
    expect(report.restsOnOperator.join("\n")).toContain("2 queries are left out because a lawful record");
  });

  it("a rewritten record's old content is asked for, its key is not", () => {
    expect(SUMMARIES.id).toBe("summaries");
    const report = verify(seal(erasurePlan()));
    const message = report.checks.find(({ code, surface }) => code === "EXCLUSION" && surface === "summaries")?.message;
    expect(message).toBe("contents and keys: none of 5 is there");
  });

  it("more queries than the limit are refused before any is computed (VERIFY-4)", () => {
    expect(failing(verify(seal(erasurePlan()), { limits: { maxQueries: 10 } }))).toEqual(["QUERIES"]);
  });
});
