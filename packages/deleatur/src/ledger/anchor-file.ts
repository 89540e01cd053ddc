// The anchor's file: sealed frames, each bound to the one before it, appended and fsynced. It must not know what a record says, nor change a frame.
import { createHash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { concatBytes, equalBytes, u64, utf8 } from "@deleatur/verify";
import type { LedgerKeys } from "./keys.ts";
import { seal, unseal } from "./seal.ts";
import { LedgerError } from "../model/errors.ts";

/** u32 length of the sealed part || first 8 bytes of an HMAC over it and the frame before. */
const HEAD_BYTES = 12;
/** Nonce and tag, number and chain. */
const LEAST_BODY = 28 + 8 + 32;
const MOST_BODY = 1 << 28;

export interface AnchorFrame {
  /** 0 for the first frame, which names the anchor. */
  readonly number: number;
  /** Hash over all records up to this one. */
  readonly chain: Uint8Array;
  readonly record: Uint8Array;
}

/** A place behind a frame: where the next one stands, and what it is bound to. */
export interface AnchorPlace {
  readonly offset: number;
  readonly hash: Uint8Array;
}

export const ANCHOR_START: AnchorPlace = { offset: 0, hash: new Uint8Array(32) };

/** What stands behind the last whole frame: nothing, a frame that an append did not finish, or bytes that are no frame of ours. `short`: not even the place to read from. */
export type AnchorTail = "clean" | "torn" | "damaged" | "short";

export interface AnchorEnd extends AnchorPlace {
  readonly tail: AnchorTail;
}

function headMac(keys: LedgerKeys, before: Uint8Array, length: Uint8Array): Uint8Array {
  return Buffer.from(keys.guardHash(utf8("deleatur/anchor-head/v1\0"), [before, length]), "hex").subarray(0, 8);
}

function placeOf(before: Uint8Array): Uint8Array {
  return concatBytes(utf8("deleatur/anchor-frame/v1\0"), before);
}

/** The chain behind a record. */
export function nextChain(chain: Uint8Array, number: number, record: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(chain).update(u64(number)).update(record).digest());
}

function readAt(handle: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const count = readSync(handle, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/**
 * Reads whole frames from a place on, a frame at a time, and hands them to `visit`. Answers where they end, or undefined where there is no file.
 * @throws NodeJS.ErrnoException where the file cannot be read
 */
export function readFrames(
  path: string,
  keys: LedgerKeys,
  from: AnchorPlace,
  visit: (frame: AnchorFrame, before: AnchorPlace) => void,
): AnchorEnd | undefined {
  let handle: number;
  try {
    handle = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(handle);
    if (size < from.offset) return { offset: size, hash: from.hash, tail: "short" };
    let { offset, hash } = from;
    while (offset < size) {
      const frame = readFrame(handle, keys, { offset, hash }, size);
      if (typeof frame === "string") return { offset, hash, tail: frame };
      visit(frame.frame, { offset, hash });
      ({ offset, hash } = frame.end);
    }
    return { offset, hash, tail: "clean" };
  } finally {
    closeSync(handle);
  }
}

function readFrame(
  handle: number,
  keys: LedgerKeys,
  { offset, hash }: AnchorPlace,
  size: number,
): { readonly frame: AnchorFrame; readonly end: AnchorPlace } | "torn" | "damaged" {
  const head = readAt(handle, offset, Math.min(HEAD_BYTES, size - offset));
  if (head.length < HEAD_BYTES) return "torn";
  // The length has a mark of its own: a flipped bit in it must not look like an append that was cut off.
  if (!equalBytes(headMac(keys, hash, head.subarray(0, 4)), head.subarray(4))) return "damaged";
  const length = Buffer.from(head).readUInt32BE(0);
  if (length < LEAST_BODY || length > MOST_BODY) return "damaged";
  const body = readAt(handle, offset + HEAD_BYTES, Math.min(length, size - offset - HEAD_BYTES));
  if (body.length < length) return "torn";
  let plain: Uint8Array;
  try {
    plain = unseal(keys.anchorSeal, placeOf(hash), body);
  } catch (error) {
    if (error instanceof LedgerError) return "damaged";
    throw error;
  }
  const end = { offset: offset + HEAD_BYTES + length, hash: frameHash(head, body) };
  const number = Number(Buffer.from(plain.subarray(0, 8)).readBigUInt64BE());
  return { frame: { number, chain: new Uint8Array(plain.subarray(8, 40)), record: plain.subarray(40) }, end };
}

function frameHash(head: Uint8Array, body: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(head).update(body).digest());
}

/**
 * Cuts off what an append did not finish, appends the frames and makes them durable. Answers the places before and behind the last.
 * @throws NodeJS.ErrnoException
 */
export function appendFrames(
  path: string,
  keys: LedgerKeys,
  random: (bytes: number) => Uint8Array,
  from: AnchorPlace,
  frames: readonly AnchorFrame[],
): { readonly before: AnchorPlace; readonly behind: AnchorPlace } {
  const isNew = from.offset === 0;
  if (isNew) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const handle = openSync(path, isNew ? "a+" : "r+", 0o600);
  try {
    ftruncateSync(handle, from.offset);
    let { offset, hash } = from;
    let before: AnchorPlace = from;
    for (const { number, chain, record } of frames) {
      const body = seal(keys.anchorSeal, placeOf(hash), concatBytes(u64(number), chain, record), random);
      // Four bytes, big-endian.
      const length = u64(body.length).subarray(4);
      const head = concatBytes(length, headMac(keys, hash, length));
      const frame = concatBytes(head, body);
      for (let done = 0; done < frame.length;)
        done += writeSync(handle, frame, done, frame.length - done, offset + done);
      before = { offset, hash };
      offset += frame.length;
      hash = frameHash(head, body);
    }
    fsyncSync(handle);
    if (isNew) syncDirectory(dirname(path));
    return { before, behind: { offset, hash } };
  } finally {
    closeSync(handle);
  }
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
