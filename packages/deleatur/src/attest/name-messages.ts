// Lays the messages that names are made of (PROOFS §2): `kind || u32(len) || value`. It must not keep what it lays.
import type { NameKind } from "@deleatur/verify";
import type { ContentField } from "../model/artifact.ts";
import { StoreError } from "../model/errors.ts";
import type { SubjectIdentifier, SurfaceId } from "../model/ids.ts";
import { HASH_BYTES } from "./fast-hash.ts";
import { isNameable } from "./field-digest.ts";
import type { MessageRoom } from "./message-room.ts";

/** Kind and length. */
const HEAD = 5;

/** Kind 01 or 03. @throws StoreError NOT_NAMEABLE */
export function layRecord(room: MessageRoom, kind: 1 | 3, surface: SurfaceId, key: string): void {
  const from = room.end;
  layRecordHead(room, kind, surface, key);
  finish(room, from, room.end);
}

/** Kind 01 with the artifact's digest, the second leaf where keys are reusable: all but that digest, for which the caller has to leave or lay 32 bytes. @throws StoreError NOT_NAMEABLE */
export function layWholeRecord(room: MessageRoom, surface: SurfaceId, key: string): void {
  const from = room.end;
  layRecordHead(room, 1, surface, key);
  finish(room, from, room.end + HASH_BYTES);
}

/** Kind 02. `digest`: of the field (`digestOfField`). @throws StoreError NOT_NAMEABLE */
export function layField(room: MessageRoom, field: ContentField, digest: string): void {
  const from = room.end;
  begin(room, 2);
  layDigest(room, field, digest);
  finish(room, from, room.end);
}

/** Kind 04. @throws StoreError NOT_NAMEABLE */
export function layIdentifier(room: MessageRoom, { type, value }: SubjectIdentifier): void {
  const from = room.end;
  begin(room, 4);
  try {
    room.putShortText(type);
    room.putText(value);
  } catch (cause) {
    throw notNameable(cause, undefined);
  }
  finish(room, from, room.end);
}

/** The 32 bytes of a field's digest. @throws StoreError NOT_NAMEABLE where a text is not well-formed */
export function layDigest(room: MessageRoom, field: ContentField, digest: string): void {
  if (!isNameable(field)) {
    const cause = new RangeError("text is not well-formed UTF-16, a lone surrogate cannot be encoded");
    throw notNameable(cause, undefined);
  }
  if (digest.length !== 2 * HASH_BYTES) throw new RangeError("a field's digest is 64 hex digits");
  const at = room.end;
  room.skip(HASH_BYTES);
  const bytes = room.room;
  for (let i = 0; i < HASH_BYTES; i += 1)
    bytes[at + i] = ((HEX[digest.charCodeAt(2 * i)] ?? 0) << 4) | (HEX[digest.charCodeAt(2 * i + 1)] ?? 0);
}

/** By the code of a hex digit: its value. */
const HEX = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, "0123456789abcdef".indexOf(String.fromCharCode(code))),
);

function layRecordHead(room: MessageRoom, kind: 1 | 3, surface: SurfaceId, key: string): void {
  begin(room, kind);
  try {
    room.putShortText(surface);
    room.putShortText(key);
  } catch (cause) {
    throw notNameable(cause, surface);
  }
}

function begin(room: MessageRoom, kind: NameKind): void {
  room.skip(HEAD);
  room.room[room.end - HEAD] = kind;
}

function finish(room: MessageRoom, from: number, end: number): void {
  room.setWord(from + 1, end - from - HEAD);
}

function notNameable(cause: unknown, surface: string | undefined): unknown {
  if (!(cause instanceof RangeError)) return cause;
  return new StoreError("NOT_NAMEABLE", "a key or text is too long or not well-formed, so it cannot be committed to", {
    ...(surface === undefined ? {} : { place: { surface } }),
    cure: "attest this surface as uncovered (UNSUPPORTED), or mend the row",
    cause,
  });
}
