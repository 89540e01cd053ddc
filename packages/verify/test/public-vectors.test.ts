// Public vectors: RFC 8785, RFC 6962, C2SP notes, DSSE, and Ed25519 under our policy.
import { describe, expect, it } from "vitest";
import {
  canonicalJson,
  canonicalKey,
  fromBase64,
  fromHex,
  logRoot,
  pae,
  parseCheckpoint,
  parsePublicKey,
  parseVerifierKey,
  publicKeyPem,
  textOf,
  toBase64,
  toHex,
  utf8,
  verifyConsistency,
  verifyEd25519,
  verifyInclusion,
  verifyNote,
} from "../src/index.ts";
import { hasSharedData, sharedBytes, sharedFiles, sharedText } from "./shared-data.ts";

describe.skipIf(!hasSharedData("vectors/jcs"))("canonical JSON", () => {
  it.each(["arrays", "french", "structures", "unicode", "values", "weird"])("is RFC 8785's for %s", (name) => {
    const value: unknown = JSON.parse(sharedText(`vectors/jcs/testdata/input/${name}.json`));
    const text = canonicalJson(value);
    expect(text).toBe(sharedText(`vectors/jcs/testdata/output/${name}.json`));
    const hex = sharedText(`vectors/jcs/testdata/outhex/${name}.txt`).replaceAll(/\s+/g, "");
    expect(toHex(utf8(text))).toBe(hex);
  });
});

describe("canonical JSON", () => {
  it("refuses what JSON cannot say", () => {
    for (const value of [Number.NaN, Infinity, "\ud800", { "\udfff": 1 }])
      expect(() => canonicalJson(value)).toThrow(RangeError);
    for (const value of [undefined, 1n, () => 1, new Map(), new Date(0), [undefined]])
      expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it("keeps composite keys apart that a joining character would merge", () => {
    expect(canonicalKey(["a:b"])).toBe('["a:b"]');
    expect(canonicalKey(["a", "b"])).toBe('["a","b"]');
  });
});

function hashes(proof: readonly string[] | null): readonly Uint8Array[] {
  return (proof ?? []).map(fromBase64);
}

describe.skipIf(!hasSharedData("vectors/merkle"))("log proofs (RFC 6962)", () => {
  interface Inclusion {
    readonly leafIdx: number;
    readonly treeSize: number;
    readonly root: string | null;
    readonly leafHash: string | null;
    readonly proof: readonly string[] | null;
    readonly wantErr: boolean;
  }
  interface Consistency {
    readonly size1: number;
    readonly size2: number;
    readonly root1: string | null;
    readonly root2: string | null;
    readonly proof: readonly string[] | null;
    readonly wantErr: boolean;
  }
  it("of inclusion are judged as published", () => {
    const files = sharedFiles("vectors/merkle/testdata/inclusion");
    expect(files.length).toBeGreaterThan(90);
    const wrong: string[] = [];
    for (const file of files) {
      const each: Inclusion = JSON.parse(sharedText(`vectors/merkle/testdata/inclusion/${file}`));
      const leaf = fromBase64(each.leafHash ?? "");
      const holds = verifyInclusion(leaf, each.leafIdx, each.treeSize, hashes(each.proof), fromBase64(each.root ?? ""));
      if (holds === each.wantErr) wrong.push(file);
    }
    expect(wrong).toEqual([]);
  });

  it("of consistency are judged as published", () => {
    const files = sharedFiles("vectors/merkle/testdata/consistency");
    expect(files.length).toBeGreaterThan(90);
    const wrong: string[] = [];
    for (const file of files) {
      const each: Consistency = JSON.parse(sharedText(`vectors/merkle/testdata/consistency/${file}`));
      const [root1, root2] = [fromBase64(each.root1 ?? ""), fromBase64(each.root2 ?? "")];
      if (verifyConsistency(each.size1, each.size2, hashes(each.proof), root1, root2) === each.wantErr)
        wrong.push(file);
    }
    expect(wrong).toEqual([]);
  });
});

describe.skipIf(!hasSharedData("vectors/tessera-log"))("checkpoints of a real log (C2SP)", () => {
  const FOLDER = "vectors/tessera-log/testdata/log/";
  const verifier = parseVerifierKey("example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx");
  const entries = "one two three four five six seven eit nain ten ileven twelf threeten fourten fivten"
    .split(" ")
    .map(utf8);

  it.each(Array.from({ length: 16 }, (_, size) => size))(
    "verify, and their root is over their entries: size %i",
    (size) => {
      const note = sharedBytes(`${FOLDER}checkpoint.${size}`);
      const result = verifyNote(note, [verifier]);
      if (!result.ok) throw new Error(result.reason);
      const checkpoint = parseCheckpoint(result.text);
      expect(checkpoint).toEqual({ origin: verifier.name, size, root: logRoot(entries.slice(0, size)) });
    },
  );

  it("fail where one byte is changed, the key is another or the text is", () => {
    const note = sharedText(`${FOLDER}checkpoint.8`);
    expect(verifyNote(note.replace("\n8\n", "\n9\n"), [verifier])).toEqual({
      ok: false,
      reason: "signature of a known key fails",
    });
    expect(verifyNote(note, [{ ...verifier, name: "example.com/other" }])).toEqual({
      ok: false,
      reason: "no known key",
    });
    expect(verifyNote(note, [])).toEqual({ ok: false, reason: "no known key" });
    expect(verifyNote(`${note}x`, [verifier])).toEqual({ ok: false, reason: "malformed" });
    expect(verifyNote(note.replace("\n\n", "\n"), [verifier])).toEqual({ ok: false, reason: "malformed" });
    expect(verifyNote(note.replaceAll("\n", "\r\n"), [verifier])).toEqual({ ok: false, reason: "malformed" });
    expect(verifyNote(Uint8Array.of(0xff), [verifier])).toEqual({ ok: false, reason: "malformed" });
  });

  it("refuse extension lines, leading zeros and a root in a second spelling", () => {
    const root = toBase64(new Uint8Array(32));
    expect(parseCheckpoint(`o\n1\n${root}\n`)).toBeDefined();
    for (const text of [
      `o\n1\n${root}\nx\n`,
      `o\n01\n${root}\n`,
      `o\n1\n${root.replace("A=", "B=")}\n`,
      `\n1\n${root}\n`,
      `o\n1\n${root}`,
    ])
      expect(parseCheckpoint(text)).toBeUndefined();
  });
});

describe("the signing envelope (DSSE)", () => {
  it("encodes before authentication as its own example says", () => {
    const encoded = textOf(pae("http://example.com/HelloWorld", utf8("hello world")));
    expect(encoded).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  });
});

describe.skipIf(!hasSharedData("vectors/wycheproof"))("Ed25519 signatures", () => {
  interface Group {
    readonly publicKey: { readonly pk: string };
    readonly publicKeyPem: string;
    readonly tests: readonly {
      readonly tcId: number;
      readonly msg: string;
      readonly sig: string;
      readonly result: string;
    }[];
  }
  it("are judged as Wycheproof says, and its keys are read in every spelling", () => {
    const { testGroups }: { readonly testGroups: readonly Group[] } = JSON.parse(
      sharedText("vectors/wycheproof/ed25519_test.json"),
    );
    let judged = 0;
    for (const group of testGroups) {
      const key = fromHex(group.publicKey.pk);
      expect(parsePublicKey(group.publicKeyPem)).toEqual(key);
      expect(parsePublicKey(publicKeyPem(key))).toEqual(key);
      expect(parsePublicKey(toBase64(key))).toEqual(key);
      for (const test of group.tests) {
        expect(verifyEd25519(key, fromHex(test.msg), fromHex(test.sig)), `tcId ${test.tcId}`).toBe(
          test.result === "valid",
        );
        judged += 1;
      }
    }
    expect(judged).toBeGreaterThan(100);
  });

  it("are refused wherever CCTV flags a small-order, mixed-order or non-canonical point: no verifier may differ", () => {
    interface Cctv {
      readonly number: number;
      readonly key: string;
      readonly sig: string;
      readonly msg: string;
      readonly flags: readonly string[] | null;
    }
    const cases: readonly Cctv[] = JSON.parse(sharedText("vectors/cctv-ed25519/ed25519vectors.json"));
    let accepted = 0;
    for (const each of cases) {
      const clean = (each.flags ?? []).length === 0;
      expect(verifyEd25519(fromHex(each.key), utf8(each.msg), fromHex(each.sig)), `number ${each.number}`).toBe(clean);
      if (clean) accepted += 1;
    }
    console.info(`note: CCTV: ${accepted} accepted, ${cases.length - accepted} refused`);
  });
});
