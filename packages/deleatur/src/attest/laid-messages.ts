// The messages of a scan, laid one after the other where another thread can read them; what they come to is hashed in batches (`hash-messages.ts`). It must not hash.
import type { ContentField } from "../model/artifact.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import { HASH_BYTES } from "./fast-hash.ts";
import { MessageRoom } from "./message-room.ts";
import { layDigest, layField, layIdentifier, layRecord, layWholeRecord } from "./name-messages.ts";

/**
 * What becomes of a message's token: an artifact's `plain` one and `member`s stand among the members, an `edge` is half of its own and half of the last
 * plain one (PROOFS §2). A `whole` is a member whose last 32 bytes are still to be made: it has digests of fields there, and before the message how many bytes.
 */
export const OP = { plain: 0, member: 1, edge: 2, whole: 3 } as const;
/** A message stands behind four bytes, little-endian: what becomes of it, and above these bits its length. */
export const OP_BITS = 2;

/** So many bytes are handed on together. */
const PART = 1 << 18;
/** Room for a first part, since most scans are short, and for those after it. */
const FIRST = 1 << 12;
const LATER = PART + (1 << 14);

/** Messages of whole artifacts, and how many keys they come to. */
export interface LaidPart {
  readonly laid: SharedArrayBuffer;
  readonly length: number;
  readonly members: number;
  readonly edges: number;
}

/** An artifact as it is committed to; `digests` are the fields'. */
export interface LaidArtifact extends ArtifactRef {
  readonly content: readonly ContentField[];
  readonly sources: readonly ArtifactRef[];
  readonly subjects: readonly SubjectIdentifier[];
}

export class LaidMessages extends MessageRoom {
  override room: Buffer<SharedArrayBuffer> = roomOf(0);
  #least = FIRST;
  #members = 0;
  #edges = 0;

  /** Answers whether there is a part to be taken. @throws StoreError NOT_NAMEABLE: then nothing of it was laid */
  put(artifact: LaidArtifact, digests: readonly string[], isReusable: boolean): boolean {
    const from = this.end;
    try {
      this.#layAll(artifact, digests, isReusable);
    } catch (error) {
      this.end = from;
      throw error;
    }
    this.#members += 1 + (isReusable ? 1 : 0) + artifact.content.length;
    this.#edges += artifact.sources.length + artifact.subjects.length;
    return this.end >= PART;
  }

  /** What was laid since the last part; undefined where that is nothing. */
  take(): LaidPart | undefined {
    if (this.end === 0) return undefined;
    const part = { laid: this.room.buffer, length: this.end, members: this.#members, edges: this.#edges };
    this.room = roomOf(0);
    this.#least = LATER;
    this.end = 0;
    this.#members = 0;
    this.#edges = 0;
    return part;
  }

  #layAll(
    { surface, key, content, sources, subjects }: LaidArtifact,
    digests: readonly string[],
    isReusable: boolean,
  ): void {
    let from = this.#begin();
    layRecord(this, 1, surface, key);
    this.#finish(from, OP.plain);
    if (isReusable) {
      from = this.#begin();
      const before = this.end;
      this.skip(4);
      layWholeRecord(this, surface, key);
      const at = this.end;
      for (const [place, field] of content.entries()) layDigest(this, field, digests[place] ?? "");
      if (content.length === 0) this.skip(HASH_BYTES);
      this.#setHead(before, content.length * HASH_BYTES);
      this.#setHead(from, ((at + HASH_BYTES - before - 4) << OP_BITS) | OP.whole);
    }
    for (const [place, field] of content.entries()) {
      from = this.#begin();
      layField(this, field, digests[place] ?? "");
      this.#finish(from, OP.member);
    }
    for (const source of sources) {
      from = this.#begin();
      layRecord(this, 3, source.surface, source.key);
      this.#finish(from, OP.edge);
    }
    for (const subject of subjects) {
      from = this.#begin();
      layIdentifier(this, subject);
      this.#finish(from, OP.edge);
    }
  }

  #begin(): number {
    this.skip(4);
    return this.end - 4;
  }

  #finish(from: number, op: number): void {
    this.#setHead(from, ((this.end - from - 4) << OP_BITS) | op);
  }

  #setHead(at: number, value: number): void {
    const { room } = this;
    room[at] = value;
    room[at + 1] = value >>> 8;
    room[at + 2] = value >>> 16;
    room[at + 3] = value >>> 24;
  }

  protected override grow(bytes: number): void {
    const grown = roomOf(Math.max(bytes, this.#least));
    this.room.copy(grown, 0, 0, this.end);
    this.room = grown;
  }
}

function roomOf(bytes: number): Buffer<SharedArrayBuffer> {
  return Buffer.from(new SharedArrayBuffer(bytes));
}
