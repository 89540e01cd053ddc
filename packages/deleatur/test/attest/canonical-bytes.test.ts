// The bytes of a receipt, against the verifier's own canonical JSON.
import { canonicalJson, utf8 } from "@deleatur/verify";
import { assert, jsonValue, property } from "fast-check";
import { expect, it } from "vitest";
import { canonicalBytes } from "../../src/attest/canonical-bytes.ts";

it("ATTEST-3: a receipt's bytes are its canonical JSON, whatever stands in it and however large it is", () => {
  assert(
    property(jsonValue(), (value) => {
      expect(Buffer.compare(canonicalBytes(value), utf8(canonicalJson(value)))).toBe(0);
    }),
  );
  const large = { "b€": Array.from({ length: 40_000 }, (_, at) => `${at}ä€😀`.repeat(8)), a: ["x".repeat(3_000_000)] };
  expect(Buffer.compare(canonicalBytes(large), utf8(canonicalJson(large)))).toBe(0);
  for (const value of ["\ud800", { "\udc00": 1 }, [NaN]]) expect(() => canonicalBytes(value)).toThrow(RangeError);
  for (const value of [undefined, [new Date()], { a: new Map() }])
    expect(() => canonicalBytes(value)).toThrow(TypeError);
});
