// What an anchor holds, and its compact bytes: keyed digests, keyed numbers, log entries. It must not have room for a key, an identifier or content.
import { textOf, utf8 } from "@deleatur/verify";
import type { DenylistKind, GramOfRuns } from "./ledger.ts";

export interface AnchoredErasure {
  readonly artifact: Uint8Array;
  /** Empty where the artifact had no content. */
  readonly tag: Uint8Array;
  readonly fate: "erased" | "rewritten";
}

export type AnchorRecord =
  | { readonly kind: "log"; readonly position: number; readonly at: string; readonly entry: string }
  | {
      readonly kind: "denylist";
      readonly request: string;
      readonly owners: readonly Uint8Array[];
      readonly entries: readonly {
        readonly kind: DenylistKind;
        readonly shared: boolean;
        readonly digest: Uint8Array;
      }[];
    }
  | {
      readonly kind: "lift";
      readonly entries: readonly {
        readonly kind: DenylistKind;
        readonly digest: Uint8Array;
        readonly request: string;
      }[];
    }
  | { readonly kind: "lift-request"; readonly request: string }
  /** `isFirst`: takes the place of what the request had. */
  | {
      readonly kind: "runs";
      readonly request: string;
      readonly isFirst: boolean;
      readonly owners: readonly Uint8Array[];
      readonly grams: readonly GramOfRuns[];
    }
  | { readonly kind: "drop-runs"; readonly request: string | undefined; readonly grams: readonly GramOfRuns[] }
  | { readonly kind: "drop-all-runs"; readonly request: string }
  | { readonly kind: "allow"; readonly digests: readonly Uint8Array[]; readonly grams: readonly GramOfRuns[] }
  | { readonly kind: "erased"; readonly request: string; readonly items: readonly AnchoredErasure[] }
  | { readonly kind: "hold"; readonly artifact: Uint8Array; readonly until: string }
  | { readonly kind: "release"; readonly artifact: Uint8Array }
  /** A process records. `mark`: 16 bytes of chance, as hex. */
  | { readonly kind: "writing"; readonly mark: string }
  | { readonly kind: "term"; readonly request: string; readonly until: string }
  /** A replay's request, and whose entries it has entered again. */
  | { readonly kind: "stands-for"; readonly request: string; readonly originals: readonly string[] }
  /** Whose the records were that a request about records named. */
  | { readonly kind: "record-owners"; readonly request: string; readonly owners: readonly Uint8Array[] };

const KINDS: readonly AnchorRecord["kind"][] = [
  "log",
  "denylist",
  "lift",
  "lift-request",
  "runs",
  "drop-runs",
  "drop-all-runs",
  "allow",
  "erased",
  "hold",
  "release",
  "writing",
  "term",
  "stands-for",
  "record-owners",
];
const DENYLIST_KINDS: readonly DenylistKind[] = ["identifier", "record", "exact", "folded"];
const DIGEST_BYTES = 32;
const REQUEST_BYTES = 16;
const GRAM_BYTES = 7;
const RUN_BYTES = 6;

class Writer {
  readonly #parts: Buffer[] = [];

  number(value: number, bytes: number): void {
    const part = Buffer.alloc(bytes);
    if (bytes <= 6) part.writeUIntBE(value, 0, bytes);
    else {
      part.writeUIntBE(Math.floor(value / 2 ** 48), 0, bytes - 6);
      part.writeUIntBE(value % 2 ** 48, bytes - 6, 6);
    }
    this.#parts.push(part);
  }

  bytes(value: Uint8Array): void {
    this.#parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  text(value: string): void {
    const bytes = utf8(value);
    this.number(bytes.length, 4);
    this.bytes(bytes);
  }

  request(value: string): void {
    this.bytes(Buffer.from(value, "hex"));
  }

  digests(values: readonly Uint8Array[]): void {
    this.number(values.length, 4);
    for (const value of values) this.bytes(value);
  }

  grams(values: readonly GramOfRuns[]): void {
    this.number(values.length, 4);
    for (const { gram, runs } of values) {
      this.number(gram, GRAM_BYTES);
      this.number(runs.length, 2);
      for (const run of runs) this.number(run, RUN_BYTES);
    }
  }

  end(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

/** Reads what a `Writer` wrote; the bytes are authenticated, so that a wrong length is our own fault. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number(bytes: number): number {
    const part = this.bytes(bytes);
    const view = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    if (bytes <= 6) return view.readUIntBE(0, bytes);
    return view.readUIntBE(0, bytes - 6) * 2 ** 48 + view.readUIntBE(bytes - 6, 6);
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("an anchor record ends too early");
    const part = new Uint8Array(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return part;
  }

  text(): string {
    return textOf(this.bytes(this.number(4)));
  }

  request(): string {
    return Buffer.from(this.bytes(REQUEST_BYTES)).toString("hex");
  }

  list<Item>(read: () => Item): readonly Item[] {
    return Array.from({ length: this.number(4) }, read);
  }

  digest(): Uint8Array {
    return this.bytes(DIGEST_BYTES);
  }

  gram(): GramOfRuns {
    const gram = this.number(GRAM_BYTES);
    return { gram, runs: Array.from({ length: this.number(2) }, () => this.number(RUN_BYTES)) };
  }

  denylistKind(): DenylistKind {
    return DENYLIST_KINDS[this.number(1)] ?? "record";
  }
}

export function encodeRecord(record: AnchorRecord): Uint8Array {
  const out = new Writer();
  out.number(KINDS.indexOf(record.kind), 1);
  switch (record.kind) {
    case "log":
      out.number(record.position, 6);
      out.text(record.at);
      out.text(record.entry);
      break;
    case "denylist":
      out.request(record.request);
      out.digests(record.owners);
      out.number(record.entries.length, 4);
      for (const { kind, shared, digest } of record.entries) {
        out.number(DENYLIST_KINDS.indexOf(kind) * 2 + Number(shared), 1);
        out.bytes(digest);
      }
      break;
    case "lift":
      out.number(record.entries.length, 4);
      for (const { kind, digest, request } of record.entries) {
        out.number(DENYLIST_KINDS.indexOf(kind), 1);
        out.bytes(digest);
        out.request(request);
      }
      break;
    case "lift-request":
    case "drop-all-runs":
      out.request(record.request);
      break;
    case "runs":
      out.request(record.request);
      out.number(Number(record.isFirst), 1);
      out.digests(record.owners);
      out.grams(record.grams);
      break;
    case "drop-runs":
      out.number(record.request === undefined ? 0 : 1, 1);
      if (record.request !== undefined) out.request(record.request);
      out.grams(record.grams);
      break;
    case "allow":
      out.digests(record.digests);
      out.grams(record.grams);
      break;
    case "erased":
      out.request(record.request);
      out.number(record.items.length, 4);
      for (const { artifact, tag, fate } of record.items) {
        out.bytes(artifact);
        out.number((fate === "rewritten" ? 2 : 0) + (tag.length === 0 ? 0 : 1), 1);
        out.bytes(tag);
      }
      break;
    case "hold":
      out.bytes(record.artifact);
      out.text(record.until);
      break;
    case "release":
      out.bytes(record.artifact);
      break;
    case "writing":
      out.request(record.mark);
      break;
    case "term":
      out.request(record.request);
      out.text(record.until);
      break;
    case "stands-for":
      out.request(record.request);
      out.number(record.originals.length, 4);
      for (const original of record.originals) out.request(original);
      break;
    case "record-owners":
      out.request(record.request);
      out.digests(record.owners);
      break;
  }
  return out.end();
}

/** @throws RangeError where the bytes are no record of this version */
export function decodeRecord(bytes: Uint8Array): AnchorRecord {
  const from = new Reader(bytes);
  const kind = KINDS[from.number(1)];
  if (kind === undefined) throw new RangeError("an anchor record of an unknown kind");
  return decodeBody(kind, from);
}

function decodeBody(kind: AnchorRecord["kind"], from: Reader): AnchorRecord {
  switch (kind) {
    case "log":
      return { kind, position: from.number(6), at: from.text(), entry: from.text() };
    case "denylist":
      return {
        kind,
        request: from.request(),
        owners: from.list(() => from.digest()),
        entries: from.list(() => {
          const flags = from.number(1);
          return { kind: DENYLIST_KINDS[flags >> 1] ?? "record", shared: flags % 2 === 1, digest: from.digest() };
        }),
      };
    case "lift":
      return {
        kind,
        entries: from.list(() => ({ kind: from.denylistKind(), digest: from.digest(), request: from.request() })),
      };
    case "lift-request":
    case "drop-all-runs":
      return { kind, request: from.request() };
    case "runs":
      return {
        kind,
        request: from.request(),
        isFirst: from.number(1) === 1,
        owners: from.list(() => from.digest()),
        grams: from.list(() => from.gram()),
      };
    case "drop-runs":
      return { kind, request: from.number(1) === 1 ? from.request() : undefined, grams: from.list(() => from.gram()) };
    case "allow":
      return { kind, digests: from.list(() => from.digest()), grams: from.list(() => from.gram()) };
    case "erased":
      return {
        kind,
        request: from.request(),
        items: from.list(() => {
          const artifact = from.digest();
          const flags = from.number(1);
          return {
            artifact,
            tag: flags % 2 === 1 ? from.digest() : new Uint8Array(),
            fate: flags >= 2 ? ("rewritten" as const) : ("erased" as const),
          };
        }),
      };
    case "hold":
      return { kind, artifact: from.digest(), until: from.text() };
    case "release":
      return { kind, artifact: from.digest() };
    case "writing":
      return { kind, mark: from.request() };
    case "term":
      return { kind, request: from.request(), until: from.text() };
    case "stands-for":
      return { kind, request: from.request(), originals: from.list(() => from.request()) };
    case "record-owners":
      return { kind, request: from.request(), owners: from.list(() => from.digest()) };
  }
}
