// Builds each kind of receipt over a real ledger and has the offline verifier judge it; then breaks each guarantee on purpose.
import { describe, expect, it } from "vitest";
import { canonicalJson, fromBase64, textOf, toHex, verifyReceipt, type VerifyOptions } from "@deleatur/verify";
import { assembleReceipt, type AssembledReceipt } from "../../src/attest/assemble-receipt.ts";
import type { AttestationInput } from "../../src/attest/attestation-input.ts";
import { composeStatement } from "../../src/attest/compose-statement.ts";
import type { Judgement } from "../../src/attest/judgement.ts";
import { reason } from "../../src/attest/reasons.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { DerivationClosureError, LedgerError, UsageError } from "../../src/model/errors.ts";
import { codeOf, refOf, temporaryLedger, type TestLedger } from "../ledger/temporary-ledger.ts";
import { ERASURE, FORM, judged, LEFT, type LoggedScene, logScene, PERSON, type SceneOptions, SECRETS, text } from "./receipt-scene.ts"; // prettier-ignore

const AFTER_HORIZON = new Date("2026-11-02T10:00:00Z");

const TOMBSTONE = judged({
  kind: "tombstone",
  effective: new Date("2026-11-02T08:15:00Z"),
  risks: [
    {
      surface: "transcripts",
      code: "UNREACHABLE",
      text: "the store could not be opened",
      deadline: new Date("2026-12-01T00:00:00Z"),
      cure: "connect it and run `deleatur forget --resume`",
    },
  ],
});

const WITHHELD = judged(
  { kind: "withheld", code: "SURVIVOR_FOUND", resumable: true, risks: [] },
  {
    verdict: "PARTIAL",
    reasons: [reason("SURVIVOR_FOUND", "a probe found what the derivations reach", { surface: "summaries", count: 2 })],
    exitCode: 20,
  },
);

function issue(
  ledger: Ledger,
  scene: LoggedScene,
  change: (input: AttestationInput) => AttestationInput = (input) => input,
): AssembledReceipt {
  return ledger.transaction(() => {
    const statement = composeStatement(change(scene.input));
    const exclusion = scene.input.judgement.attestation.kind === "withheld" ? null : scene.exclusion();
    return assembleReceipt({ statement, signer: ledger.keys, log: ledger, disclosed: scene.input.log.disclosed, exclusion }); // prettier-ignore
  });
}

function issued(
  judgement: Judgement,
  options: SceneOptions = {},
): { readonly receipt: AssembledReceipt; readonly scene: LoggedScene; readonly test: TestLedger } {
  // prettier-ignore
  const test = temporaryLedger({ boundaryId: FORM.id });
  const scene = logScene(test.ledger, test.setClock, judgement, options);
  return { receipt: issue(test.ledger, scene), scene, test };
}

function optionsOf({ ledger }: TestLedger, more: Partial<VerifyOptions> = {}): VerifyOptions {
  return {
    publicKeys: [ledger.keys.publicKey],
    threshold: 1,
    scope: { boundary: canonicalJson(FORM) },
    acceptSelfAttested: true,
    auditorKeys: [],
    now: AFTER_HORIZON,
    ...more,
  };
}

function failures(bytes: Uint8Array, options: VerifyOptions): readonly string[] {
  return verifyReceipt(bytes, options).checks.flatMap(({ code, status }) => (status === "fail" ? [code] : []));
}

function payloadOf({ bytes }: AssembledReceipt): string {
  const receipt: { readonly envelope: { readonly payload: string } } = JSON.parse(textOf(bytes));
  return textOf(fromBase64(receipt.envelope.payload));
}

describe("an erasure", () => {
  it("ATTEST-1, VERIFY-1: verifies over the whole boundary, with no residual risk", () => {
    const { receipt, test } = issued(ERASURE);
    expect(failures(receipt.bytes, optionsOf(test))).toEqual([]);
    expect(verifyReceipt(receipt.bytes, optionsOf(test)).outcome).toEqual({ kind: "erasure", exitCode: 0 });
    expect(JSON.parse(payloadOf(receipt)).predicate.residualRisks).toEqual([]);
  });

  it("ATTEST-8: is not effective before its last horizon", () => {
    const { receipt, test } = issued(ERASURE);
    expect(receipt.outcome.kind).toBe("not-yet-effective");
    const before = optionsOf(test, { now: new Date("2026-11-02T09:13:59Z") });
    expect(verifyReceipt(receipt.bytes, before).outcome).toEqual({ kind: "not-yet-effective", exitCode: 22 });
    expect(JSON.parse(payloadOf(receipt)).predicate.effective).toBe("2026-11-02T09:14:00Z");
  });

  it("ATTEST-8: holds no sooner than its horizons, whatever the judge was told", () => {
    const { receipt } = issued(judged({ kind: "erasure", effective: new Date("2026-11-02T08:00:00Z") }));
    expect(JSON.parse(payloadOf(receipt)).predicate.effective).toBe("2026-11-02T09:14:00Z");
  });

  it("verifies for a target of records, which names nobody", () => {
    const { receipt, test, scene } = issued(ERASURE, { target: "records" });
    expect(failures(receipt.bytes, optionsOf(test))).toEqual([]);
    expect(scene.built.manifest.identifiers).toEqual([]);
  });

  it("ATTEST-1: is refused over less than the boundary, naming what is missing", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const scene = logScene(test.ledger, test.setClock, ERASURE, { unreachable: ["vectors", "summaries"] });
    const act = (): unknown => issue(test.ledger, scene);
    expect(act).toThrow(DerivationClosureError);
    expect(act).toThrow(expect.objectContaining({ code: "DOMAIN_NOT_COVERED", surfaces: ["summaries", "vectors"] }));
  });

  it("VERIFY-6: is bound to its person by the code that only the letter carries", () => {
    const { receipt, test, scene } = issued(ERASURE);
    const identifiers = [{ type: PERSON.type, identifier: PERSON.value }];
    const { personCode } = scene;
    expect(failures(receipt.bytes, optionsOf(test, { personCode, identifiers }))).toEqual([]);
    const stranger = new Uint8Array(32).fill(1);
    expect(failures(receipt.bytes, optionsOf(test, { personCode: stranger, identifiers }))).toEqual(["PERSON"]);
  });
});

describe("a tombstone", () => {
  it("ATTEST-2, VERIFY-2: verifies as what it is, and lists each uncovered surface as a risk", () => {
    const { receipt, test } = issued(TOMBSTONE, { unreachable: ["transcripts"] });
    expect(failures(receipt.bytes, optionsOf(test))).toEqual([]);
    expect(verifyReceipt(receipt.bytes, optionsOf(test)).outcome).toEqual({ kind: "tombstone", exitCode: 20 });
  });

  it("ATTEST-2: is refused where a risk is missing or nothing is uncovered", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const two = logScene(test.ledger, test.setClock, TOMBSTONE, { unreachable: ["transcripts", "vectors"] });
    expect(() => issue(test.ledger, two)).toThrow(UsageError);
    const none = logScene(test.ledger, test.setClock, TOMBSTONE);
    expect(() => issue(test.ledger, none)).toThrow(UsageError);
  });
});

describe("a refusal", () => {
  it("ATTEST-3: is signed, logged and verified, with its reasons and cures", () => {
    const { receipt, test } = issued(WITHHELD);
    expect(failures(receipt.bytes, optionsOf(test))).toEqual([]);
    expect(verifyReceipt(receipt.bytes, optionsOf(test)).outcome).toEqual({ kind: "withheld", exitCode: 21 });
    const { predicate } = JSON.parse(payloadOf(receipt));
    expect([predicate.code, predicate.reasons.length, predicate.cures.length]).toEqual(["SURVIVOR_FOUND", 1, 1]);
    expect(predicate.surfaces).toHaveLength(FORM.surfaces.length);
    expect(test.ledger.logEntry(receipt.logIndex).entry).toContain("urn:deleatur:withheld:v1");
  });

  it("ATTEST-3: stands over the inventory where nothing was scanned", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const scene = logScene(test.ledger, test.setClock, WITHHELD);
    const { indices, disclosed, origin } = scene.input.log;
    const log = {
      origin,
      indices: { ...indices, epochRoots: null },
      disclosed: disclosed.filter((i) => i !== indices.epochRoots),
    };
    const bare = { ...scene, input: { ...scene.input, roots: null, evidence: null, log } };
    const receipt = issue(test.ledger, bare);
    expect(failures(receipt.bytes, optionsOf(test))).toEqual([]);
    expect(verifyReceipt(receipt.bytes, optionsOf(test)).outcome.kind).toBe("withheld");
  });
});

describe("every kind", () => {
  const KINDS: readonly (readonly [string, Judgement, SceneOptions])[] = [
    ["an erasure", ERASURE, {}],
    ["a tombstone", TOMBSTONE, { unreachable: ["transcripts"] }],
    ["a refusal", WITHHELD, {}],
  ];

  it.each(KINDS)("PRIVACY-1: no byte of keys, identifiers or content stands in %s", (_, judgement, options) => {
    const { receipt, scene } = issued(judgement, options);
    const everything = `${textOf(receipt.bytes)}\n${payloadOf(receipt)}`;
    expect(SECRETS.filter((secret) => everything.includes(secret))).toEqual([]);
    const encoded = SECRETS.flatMap((secret) => {
      const bytes = Buffer.from(secret);
      return [bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")];
    });
    expect(encoded.filter((secret) => everything.includes(secret))).toEqual([]);
    expect(everything).not.toContain(toHex(scene.personCode));
  });

  it.each(KINDS)("LINEAGE-1, VERIFY-5: the words of %s say what was not looked for", (_, judgement, options) => {
    const { statement, limits } = JSON.parse(payloadOf(issued(judgement, options).receipt)).predicate;
    const said: string = limits.join("\n");
    for (const word of [
      "paraphrases",
      "names and aliases",
      "near, semantic and name probes are not built",
      "Model weights and fine-tuning corpora are out of scope",
      "raw episodes, embeddings in ANN indexes",
      "below the file system",
      "another person's own surviving record",
      "neither declares",
      "Self-attested",
      "no anchor",
    ])
      expect(said).toContain(word);
    expect(statement.includes("COMPLIANT")).toBe(false);
  });

  it("COMPLIANT stands in the words only with the number of declared locations", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const scene = logScene(test.ledger, test.setClock, ERASURE);
    const late = { ...scene.input, issued: AFTER_HORIZON };
    const statement = composeStatement(late);
    expect(statement.predicate.statement).toContain("COMPLIANT: nothing found in the 5 declared locations");
  });

  it("LINEAGE-7: an identifier type that the person is said to have none of is attested", () => {
    const { scene } = issued(WITHHELD);
    const request = { ...scene.input.request, none: ["email"] };
    const { limits } = composeStatement({ ...scene.input, request }).predicate;
    expect(limits.join("\n")).toContain("no identifier of type: email");
  });

  it("the words give the controls that were found, and no more than the first of many locations", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const scene = logScene(test.ledger, test.setClock, ERASURE);
    expect(composeStatement(scene.input).predicate.statement).toMatch(/probe runs found (\d+) of the \1 surviving/);
    const surfaces = Array.from({ length: 30 }, (_, i) => `s${i}`);
    const error = { class: "DerivationClosureError", code: "DOMAIN_NOT_COVERED", surfaces } as const;
    const judgement = judged({ kind: "withheld", code: error.code, resumable: true, risks: [] }, { error });
    expect(composeStatement({ ...scene.input, judgement }).predicate.statement).toContain("s23 and 6 more");
  });

  it("no statement is composed where the judge allows none", () => {
    const { scene } = issued(WITHHELD);
    const judgement = judged({ kind: "none", code: "NOTHING_FOUND" });
    expect(() => composeStatement({ ...scene.input, judgement })).toThrow(UsageError);
  });

  it("requests of one ledger do not disclose each other's entries", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const first = logScene(test.ledger, test.setClock, ERASURE);
    issue(test.ledger, first);
    const second = logScene(test.ledger, test.setClock, ERASURE);
    const receipt = issue(test.ledger, second);
    expect(failures(receipt.bytes, optionsOf(test))).toEqual([]);
    expect(textOf(receipt.bytes)).not.toContain(first.request);
  });
});

function withEvidence(
  input: AttestationInput,
  change: Partial<NonNullable<AttestationInput["evidence"]>>,
): AttestationInput {
  // prettier-ignore
  return input.evidence === null ? input : { ...input, evidence: { ...input.evidence, ...change } };
}

describe("what does not pass its own verification is never issued", () => {
  const flaws: readonly (readonly [string, (input: AttestationInput) => AttestationInput, string])[] = [
    ["a blind probe", (input) => withEvidence(input, { probes: [] }), "PROBES"],
    [
      "inferred edges",
      (input) => withEvidence(input, { lineage: { recorded: 1, declared: 1, inferred: 1 } }),
      "LINEAGE",
    ],
    ["an unresolved intent", (input) => withEvidence(input, { intents: { unresolved: 1 } }), "INTENTS"],
    ["no do-not-store entry", (input) => withEvidence(input, { denylist: { count: 0, scope: [] } }), "DENYLIST"],
    ["another manifest", (input) => withEvidence(input, { manifest: { artifacts: [], identifiers: [] } }), "MANIFEST"],
    ["another person", (input) => ({ ...input, request: { ...input.request, who: [{ type: "account", digest: "0".repeat(64) }] } }), "LOG_BINDING"], // prettier-ignore
  ];

  it.each(flaws)("ATTEST-3: %s leaves no attestation in the log", (_, change, code) => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const scene = logScene(test.ledger, test.setClock, ERASURE);
    const size = test.ledger.logSize();
    const act = (): unknown => issue(test.ledger, scene, change);
    expect(act).toThrow(LedgerError);
    expect(act).toThrow(new RegExp(`${code}: `));
    expect(test.ledger.logSize()).toBe(size);
  });

  it("VERIFY-3: a survivor in a tree cannot be proven away", () => {
    const test = temporaryLedger({ boundaryId: FORM.id });
    const ref = refOf("transcripts", "zz-copy-1");
    const copy = { ...ref, subjects: [], sources: [], content: [text("the parcel with the green ribbon")] };
    const left = [...LEFT, copy];
    const scene = logScene(test.ledger, test.setClock, ERASURE, { left });
    expect(scene.settled.stillThere.length).toBeGreaterThan(0);
    expect(codeOf(() => issue(test.ledger, scene))).toBe("NOT_EXCLUDED");
  });
});

interface Groups {
  readonly proofs: { surface: string; tree: number; format: string; proofs: readonly string[] }[];
}

function first({ proofs }: Groups): Groups["proofs"][number] {
  const [group] = proofs;
  if (group === undefined) throw new Error("a receipt has proofs");
  return group;
}

describe("the multiproofs of a receipt", () => {
  const { receipt, test: own } = issued(ERASURE);
  const flaws: readonly (readonly [string, (groups: Groups) => void])[] = [
    ["none where there are queries", (groups) => void (first(groups).proofs = [])],
    ["twice the same", (groups) => void (first(groups).proofs = [...first(groups).proofs, ...first(groups).proofs])],
    ["one said to be of single proofs", (groups) => void (first(groups).format = "DXP1")],
    ["one of another data location", (groups) => void (first(groups).proofs = groups.proofs[2]?.proofs ?? [])],
    ["one without its last byte", (groups) => void (first(groups).proofs = ["RFhNMQABAAAAAUA="])],
    ["a format that nobody knows", (groups) => void (first(groups).format = "DXM2")],
  ];

  it.each(flaws)("VERIFY-3: %s are refused", (_, change) => {
    const parsed = JSON.parse(textOf(receipt.bytes)) as Groups;
    change(parsed);
    const { outcome } = verifyReceipt(JSON.stringify(parsed), optionsOf(own));
    expect(outcome.kind).toBe("invalid");
  });
});
