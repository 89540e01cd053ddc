// Holds the kernel in WebAssembly against Node's own hash and the published vectors, message by message and tree by tree, and the caller without one. Needs `npm run build`.
import { execFileSync } from "node:child_process";
import { createHash, createHmac, randomBytes } from "node:crypto";
import {
  array,
  assert,
  boolean,
  integer,
  oneof,
  property,
  record,
  string,
  stringMatching,
  uint8Array,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOfField } from "../../src/attest/field-digest.ts";
import { type HashKernel, openKernel } from "../../src/attest/hash-kernel.ts";
import { hashMessages } from "../../src/attest/hash-messages.ts";
import { hashTree } from "../../src/attest/hash-tree.ts";
import { LaidMessages, type LaidPart } from "../../src/attest/laid-messages.ts";
import { hashModule } from "../../src/attest/sha256-code.ts";
import { sortKeys } from "../../src/attest/sort-keys.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";

function kernel(): HashKernel {
  const opened = openKernel();
  if (opened === undefined) throw new Error("no kernel could be had, so nothing is compared");
  return opened;
}

const text = oneof(
  string({ unit: "grapheme", minLength: 1, maxLength: 90 }),
  string({ unit: "grapheme-ascii", minLength: 1, maxLength: 300 }),
);
const ref = record({
  surface: stringMatching(/^[a-z][a-z0-9]{0,40}$/).map(surfaceId),
  key: text.map(artifactKey),
});
const artifact = record({
  ref,
  content: array(
    text.map((value) => ({ type: "text", name: "t", text: value }) as const),
    { maxLength: 4 },
  ),
  sources: array(ref, { maxLength: 3 }),
  subjects: array(record({ type: text, value: text }), { maxLength: 2 }),
  isReusable: boolean(),
});

const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer =>
  createHmac("sha256", key).update(Buffer.concat(parts)).digest();

/** A module of the build, as a program spells it. */
const built = (module: string): string => JSON.stringify(new URL(`../../dist/attest/${module}`, import.meta.url).href);

const lp = (value: string): Buffer => {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([Buffer.of(0, bytes.length), bytes]);
};

describe("the kernel", () => {
  it("ATTEST-1: makes the tokens that Node's own hash makes, of whatever was laid", () => {
    const opened = kernel();
    assert(
      property(array(artifact, { maxLength: 6 }), uint8Array({ minLength: 32, maxLength: 32 }), (artifacts, secret) => {
        const messages = new LaidMessages();
        const parts: LaidPart[] = [];
        const take = (): void => {
          const part = messages.take();
          if (part !== undefined) parts.push(part);
        };
        for (const { ref, isReusable, ...rest } of artifacts) {
          messages.put({ ...ref, ...rest }, rest.content.map(digestOfField), isReusable);
          if (rest.content.length % 2 === 0) take();
        }
        take();
        const keys = { names: secret, surface: secret.toReversed() };
        expect(hashMessages(parts, keys, opened)).toEqual(hashMessages(parts, keys, undefined));
      }),
    );
  });

  it("ATTEST-1: makes the tokens that PROOFS 2 defines", () => {
    const [surface, key] = [surfaceId("episodes"), artifactKey("7")];
    const field = { type: "text", name: "text", text: "a" } as const;
    const digest = createHash("sha256").update("\0a").digest();
    const messages = new LaidMessages();
    const sources = [{ surface: surfaceId("notes"), key: artifactKey("é") }];
    const subjects = [{ type: "account", value: "p" }];
    messages.put({ surface, key, content: [field], sources, subjects }, [digest.toString("hex")], true);
    const part = messages.take();
    const keys = { names: randomBytes(32), surface: randomBytes(32) };
    const { membership, lineage } = hashMessages(part === undefined ? [] : [part], keys, kernel());
    const tokenOf = (kind: number, ...parts: readonly Buffer[]): Buffer => {
      const value = Buffer.concat(parts);
      const name = hmac(keys.names, Buffer.of(kind, 0, 0, 0, value.length), value);
      return hmac(keys.surface, Buffer.of(kind), name);
    };
    const plain = tokenOf(1, lp("episodes"), lp("7"));
    const whole = tokenOf(1, lp("episodes"), lp("7"), createHash("sha256").update(digest).digest());
    expect(Buffer.from(membership)).toEqual(Buffer.concat([plain, whole, tokenOf(2, digest)]));
    const [parent, person] = [tokenOf(3, lp("notes"), lp("é")), tokenOf(4, lp("account"), Buffer.from("p"))];
    const half = plain.subarray(0, 16);
    expect(Buffer.from(lineage)).toEqual(Buffer.concat([parent.subarray(0, 16), half, person.subarray(0, 16), half]));
  });

  it("VERIFY-3: hashes a set of keys as Node's own hash does, also where they share nearly all bits", () => {
    const opened = kernel();
    const like = integer({ min: 0, max: 32 }).chain((shared) =>
      uint8Array({ minLength: 32 - shared, maxLength: 32 - shared }).map((rest) =>
        Buffer.concat([new Uint8Array(shared).fill(0xab), rest]),
      ),
    );
    assert(
      property(array(like, { maxLength: 60 }), (list) => {
        const keys = sortKeys(Buffer.concat(list));
        const [own, nodes] = [opened.hashTree(keys), hashTree(keys)];
        expect(own.root).toEqual(nodes.root);
        expect(own.branches.subarray(32)).toEqual(nodes.branches.subarray(32));
      }),
      { numRuns: 300 },
    );
  });

  it("hashes more than its memory first holds", () => {
    const keys = sortKeys(randomBytes(32 * 5_000));
    expect(kernel().hashTree(keys).root).toEqual(hashTree(keys).root);
  });

  it("ATTEST-1: is not needed: an engine without WebAssembly comes to the same root", () => {
    const program = `
      import { openKernel } from ${built("hash-kernel.js")};
      import { hashKeys } from ${built("hash-sorted-keys.js")};
      import { sortKeys } from ${built("sort-keys.js")};
      const keys = Buffer.from(Array.from({ length: 32 * 5_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> 23));
      const { root } = hashKeys(sortKeys(keys));
      console.log(openKernel() === undefined ? "without" : "with", Buffer.from(root).toString("hex"));`;
    const run = (...flags: readonly string[]): string =>
      execFileSync(process.execPath, [...flags, "--input-type=module", "-e", program], { encoding: "utf8" }).trim();
    const [isWith, root] = run().split(" ");
    expect([isWith, run("--jitless")]).toEqual(["with", `without ${root}`]);
  });

  it("refuses messages that do not come to the keys that were counted", () => {
    const messages = new LaidMessages();
    messages.put({ surface: surfaceId("s"), key: artifactKey("k"), content: [], sources: [], subjects: [] }, [], false);
    const part = messages.take();
    if (part === undefined) throw new Error("nothing was laid");
    const keys = { names: new Uint8Array(32), surface: new Uint8Array(32) };
    expect(() => hashMessages([{ ...part, members: 2 }], keys, kernel())).toThrow(RangeError);
  });
});

describe("the module of the kernel", () => {
  /** What it exports, as far as this test calls it. */
  interface Code {
    readonly memory: { readonly buffer: ArrayBuffer };
    readonly digest: (start: number, before: number, message: number, length: number, target: number) => void;
  }
  interface Wasm {
    readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
    readonly Instance: new (module: object) => { readonly exports: Code };
  }
  // Every engine has it; its types come with a browser's.
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;

  /** FIPS 180-4 §5.3.3. */
  const INITIAL = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("gives the digests that FIPS 180-4 gives as examples: %o", (message, expected) => {
    const { memory, digest } = new Instance(new Module(hashModule())).exports;
    const bytes = new Uint8Array(memory.buffer);
    new Uint32Array(memory.buffer).set(INITIAL);
    bytes.set(Buffer.from(message), 2_048);
    digest(0, 0, 2_048, message.length, 4_096);
    expect(Buffer.from(bytes.subarray(4_096, 4_128)).toString("hex")).toBe(expected);
  });
});
