// Writes a WebAssembly module (core specification 2.0, §5) out of nested expressions, so that what runs is what the source says and no binary is shipped. It must know no algorithm.

/** Bytes of instructions. */
export type Code = readonly number[];

/** An expression that leaves a value, or an instruction that leaves none. */
const op =
  (byte: number) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), byte];

function unsigned(value: number): Code {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** LEB128 of a signed 32-bit number. */
function signed(value: number): Code {
  const bytes: number[] = [];
  let rest = value | 0;
  while (rest < -64 || rest > 63) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  return [...bytes, rest & 0x7f];
}

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const constant = (value: number): Code => [0x41, ...signed(value)];
export const call = (func: number, ...operands: readonly Code[]): Code => [...operands.flat(), 0x10, ...unsigned(func)];

export const add: (left: Code, right: Code) => Code = op(0x6a);
export const subtract: (left: Code, right: Code) => Code = op(0x6b);
export const and: (left: Code, right: Code) => Code = op(0x71);
export const or: (left: Code, right: Code) => Code = op(0x72);
export const xor: (left: Code, right: Code) => Code = op(0x73);
export const shiftLeft: (value: Code, by: Code) => Code = op(0x74);
export const shiftRight: (value: Code, by: Code) => Code = op(0x76);
export const rotateLeft: (value: Code, by: Code) => Code = op(0x77);
export const rotateRight: (value: Code, by: Code) => Code = op(0x78);
const isZero: (value: Code) => Code = op(0x45);
export const isEqual: (left: Code, right: Code) => Code = op(0x46);
/** Unsigned. */
export const isLess: (left: Code, right: Code) => Code = op(0x49);

const memory =
  (opcode: number) =>
  (address: Code, offset = 0): Code => [...address, opcode, 0, ...unsigned(offset)];
const store =
  (opcode: number) =>
  (address: Code, value: Code, offset = 0): Code => [...address, ...value, opcode, 0, ...unsigned(offset)];

/** Little-endian, at any address. */
export const load: (address: Code, offset?: number) => Code = memory(0x28);
export const loadByte: (address: Code, offset?: number) => Code = memory(0x2d);
export const storeWord: (address: Code, value: Code, offset?: number) => Code = store(0x36);
export const storeByte: (address: Code, value: Code, offset?: number) => Code = store(0x3a);
const loadLong = memory(0x29);
const storeLong = store(0x37);

/** A fixed number of bytes, a multiple of eight. */
export const copyFixed = (to: Code, from: Code, bytes: number): Code =>
  Array.from({ length: bytes / 8 }, (_, at) => storeLong(to, loadLong(from, 8 * at), 8 * at)).flat();
export const zeroFixed = (to: Code, bytes: number): Code =>
  Array.from({ length: bytes / 8 }, (_, at) => storeLong(to, [0x42, 0], 8 * at)).flat();
export const copy = (to: Code, from: Code, bytes: Code): Code => [...to, ...from, ...bytes, 0xfc, 10, 0, 0];

const VOID = 0x40;
const END = 0x0b;
export const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  ...condition,
  0x04,
  VOID,
  ...then,
  ...(otherwise.length === 0 ? [] : [0x05, ...otherwise]),
  END,
];
/** Runs the body again and again while the condition holds before it. */
export const loopWhile = (condition: Code, body: Code): Code => [
  0x02,
  VOID,
  0x03,
  VOID,
  ...isZero(condition),
  0x0d,
  1,
  ...body,
  0x0c,
  0,
  END,
  END,
];

/** A function of 32-bit numbers that answers nothing. Its locals follow its parameters. */
export interface Func {
  readonly name: string;
  readonly parameters: number;
  readonly locals: number;
  readonly body: Code;
}

/** `\0asm`, version 1. */
const MAGIC: Code = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const I32 = 0x7f;
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const text = (value: string): Code => vector([...Buffer.from(value, "utf8")].map((byte) => [byte]));

/** The bytes of a module that exports all functions, called by their place, and its memory as `memory`. */
export function moduleOf(functions: readonly Func[], pages: number): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(Array.from({ length: parameters }, () => [I32])),
    0,
  ]);
  const bodies = functions.map(({ locals, body }) => {
    const code = [...vector(locals === 0 ? [] : [[...unsigned(locals), I32]]), ...body, END];
    return [...unsigned(code.length), ...code];
  });
  const exported = functions.map(({ name }, at) => [...text(name), 0, ...unsigned(at)]);
  return Uint8Array.from([
    ...MAGIC,
    ...section(1, vector(types)),
    ...section(3, vector(functions.map((_, at) => unsigned(at)))),
    ...section(5, vector([[0, ...unsigned(pages)]])),
    ...section(7, vector([...exported, [...text("memory"), 2, 0]])),
    ...section(10, vector(bodies)),
  ]);
}
