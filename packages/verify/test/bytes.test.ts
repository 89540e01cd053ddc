// Bytes and their spellings: strict in both directions.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareBytes,
  compareUtf8,
  fromBase64,
  fromBase64Url,
  fromHex,
  textOf,
  toBase64,
  toBase64Url,
  toHex,
  u16,
  u32,
  u64,
  utf8,
} from "../src/index.ts";

/** The canonical spelling of what a text decodes to; undefined where it is refused. */
function respelled(text: string): string | undefined {
  try {
    return toBase64(fromBase64(text));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

describe("encodings", () => {
  it("agree with the platform's and come back unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const platform = Buffer.from(bytes);
        expect(toHex(bytes)).toBe(platform.toString("hex"));
        expect(toBase64(bytes)).toBe(platform.toString("base64"));
        expect(toBase64Url(bytes)).toBe(platform.toString("base64url"));
        expect(fromHex(toHex(bytes))).toEqual(bytes);
        expect(fromBase64(toBase64(bytes))).toEqual(bytes);
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each(["A", "AA", "AAA", "AB==", "AAB=", "AA==\n", " AA==", "AA=A", "====", "A===", "AA-_", "ÀAA="])(
    "refuse the base64 %j, which is no canonical spelling",
    (text) => {
      expect(() => fromBase64(text)).toThrow(RangeError);
    },
  );

  it.each(["A", "AB", "AA==", "AA+/", "A A"])("refuse the base64url %j", (text) => {
    expect(() => fromBase64Url(text)).toThrow(RangeError);
  });

  it.each(["0", "AB", "0g", " 00", "0x00"])("refuse the hex %j", (text) => {
    expect(() => fromHex(text)).toThrow(RangeError);
  });

  it("never decode two spellings to the same bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("A", "B", "/", "+", "=", "-", "\n") }), (text) => {
        expect(respelled(text) ?? text).toBe(text);
      }),
    );
  });
});

describe("integers and text", () => {
  it("compare texts as their UTF-8 bytes compare", () => {
    const unit = fc.constantFrom(
      "a",
      "b",
      "é",
      "\u07ff",
      "\ud7ff",
      "\ue000",
      "\uffff",
      "😀",
      "\u{10ffff}",
      "\u{10000}",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 4 }), fc.string({ unit, maxLength: 4 }), (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Math.sign(compareBytes(utf8(a), utf8(b))));
      }),
      { numRuns: 1000 },
    );
    expect(() => compareUtf8("\ud800", "a")).toThrow(RangeError);
    expect(() => compareUtf8("a", "\udc00b")).toThrow(RangeError);
  });

  it("are big-endian and refused where they do not fit", () => {
    expect(toHex(u16(0xabcd))).toBe("abcd");
    expect(toHex(u32(0xdeadbeef))).toBe("deadbeef");
    expect(toHex(u64(2 ** 53 - 1))).toBe("001fffffffffffff");
    expect(toHex(u64(2n ** 64n - 1n))).toBe("ffffffffffffffff");
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => u64(wrong)).toThrow(RangeError);
    expect(() => u16(65_536)).toThrow(RangeError);
    expect(() => u32(2 ** 32)).toThrow(RangeError);
    expect(() => u64(2n ** 64n)).toThrow(RangeError);
  });

  it("refuse lone surrogates and invalid UTF-8, and keep a byte order mark", () => {
    expect(() => utf8("\ud800")).toThrow(RangeError);
    expect(() => textOf(Uint8Array.of(0xff))).toThrow(RangeError);
    expect(textOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe("\ufeffA");
  });

  it("sort by UTF-8 bytes, not by UTF-16 units", () => {
    expect(["s😀", "s～", "s"].toSorted(compareUtf8)).toEqual(["s", "s～", "s😀"]);
  });
});
