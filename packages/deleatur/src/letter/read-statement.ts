// Reads from a receipt what a letter needs. The receipt is hostile input: this checks shapes, not signatures (that is `verify`, which comes first).
import { ERASURE_PREDICATE, fromBase64, TOMBSTONE_PREDICATE, WITHHELD_PREDICATE } from "@deleatur/verify";
import { z } from "zod";
import { UsageError } from "../model/errors.ts";

const count = z.number().int().min(0);
const time = z.iso.datetime().transform((text) => new Date(text));
const horizon = z.object({ until: z.number().int().min(0).max(8_640_000_000_000), basis: z.string() }).nullable();
const publicForm = z.object({
  surfaces: z.array(z.object({ id: z.string(), label: z.string().nullable() })),
  exemptions: z.array(z.object({ name: z.string(), kind: z.string(), ground: z.string().nullish() })),
  keep: z.unknown(),
});
const boundary = z.object({ id: z.string(), publicForm });
const common = { request: z.string(), target: z.enum(["person", "records"]), issued: time, boundary };

const attested = z.object({
  ...common,
  effective: time,
  received: time.nullable(),
  due: time.nullable(),
  surfaces: z.array(z.object({ id: z.string(), alg: z.number(), horizon })),
  residualRisks: z.array(
    z.object({ surface: z.string(), code: z.string(), text: z.string(), deadline: time.nullable() }),
  ),
  denylist: z.object({ count }),
});

const withheld = z.object({
  ...common,
  code: z.string(),
  reasons: z.array(z.object({ code: z.string(), surface: z.string().nullable(), text: z.string() })),
  surfaces: z.array(
    z.object({
      id: z.string(),
      erased: count,
      absent: count,
      rewritten: count,
      pending: count,
      unsupported: count,
      failed: count,
      blind: count,
    }),
  ),
});

/** What of a receipt stands outside the signed statement and is told all the same: how many artifacts had which end. */
const receiptParts = z.object({
  envelope: z.object({ payload: z.string() }),
  manifest: z
    .object({ artifacts: z.array(z.object({ surface: z.string(), fate: z.enum(["erased", "rewritten"]) })) })
    .nullable(),
});

const statement = z.discriminatedUnion("predicateType", [
  z.object({ predicateType: z.literal(ERASURE_PREDICATE), predicate: attested }),
  z.object({ predicateType: z.literal(TOMBSTONE_PREDICATE), predicate: attested }),
  z.object({ predicateType: z.literal(WITHHELD_PREDICATE), predicate: withheld }),
]);

interface CommonPredicate {
  readonly request: string;
  readonly target: "person" | "records";
  readonly issued: Date;
  readonly boundary: {
    readonly id: string;
    readonly publicForm: {
      readonly surfaces: readonly { readonly id: string; readonly label: string | null }[];
      readonly exemptions: readonly {
        readonly name: string;
        readonly kind: string;
        readonly ground?: string | null | undefined;
      }[];
      readonly keep?: unknown;
    };
  };
}

/** What erasures and tombstones alike say. */
export interface AttestedPredicate extends CommonPredicate {
  readonly effective: Date;
  readonly received: Date | null;
  readonly surfaces: readonly {
    readonly id: string;
    readonly alg: number;
    readonly horizon: { readonly until: number } | null;
  }[];
  readonly residualRisks: readonly {
    readonly surface: string;
    readonly code: string;
    readonly text: string;
    readonly deadline: Date | null;
  }[];
  readonly denylist: { readonly count: number };
}

export interface WithheldReadPredicate extends CommonPredicate {
  readonly code: string;
  readonly reasons: readonly { readonly code: string; readonly surface: string | null; readonly text: string }[];
  readonly surfaces: readonly Readonly<
    Record<"erased" | "absent" | "rewritten" | "pending" | "unsupported" | "failed" | "blind", number> & { id: string }
  >[];
}

export type LetterStatement =
  | {
      readonly predicateType: typeof ERASURE_PREDICATE | typeof TOMBSTONE_PREDICATE;
      readonly predicate: AttestedPredicate;
    }
  | { readonly predicateType: typeof WITHHELD_PREDICATE; readonly predicate: WithheldReadPredicate };

export type LetterManifest = {
  readonly artifacts: readonly { readonly surface: string; readonly fate: "erased" | "rewritten" }[];
} | null;

/**
 * The signed statement, as far as a letter tells it.
 * @throws UsageError BAD_RECEIPT where it is no statement of ours, or calls itself an erasure and names what is not erased (VERIFY-2)
 */
export function readStatement(receipt: unknown): { statement: LetterStatement; manifest: LetterManifest } {
  const parts = receiptParts.safeParse(receipt);
  if (!parts.success) throw badReceipt("is not in the form of a receipt", parts.error.name);
  const parsed = statement.safeParse(parsePayload(parts.data.envelope.payload));
  if (!parsed.success) throw badReceipt("holds no statement that a letter can tell", parsed.error.name);
  const read = parsed.data;
  if (read.predicateType === ERASURE_PREDICATE) {
    const { residualRisks, surfaces } = read.predicate;
    const isWhole = residualRisks.length === 0 && surfaces.every(({ alg }) => alg === 1 || alg === 2);
    if (!isWhole) throw badReceipt("calls itself an erasure and names what is not erased", undefined);
  }
  return { statement: read, manifest: parts.data.manifest };
}

function parsePayload(payload: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(payload)));
  } catch (cause) {
    // The cause is not passed on: a parser quotes what it could not read.
    throw badReceipt("holds a payload that is not JSON", cause instanceof Error ? cause.name : undefined);
  }
}

function badReceipt(what: string, cause: unknown): UsageError {
  return new UsageError("BAD_RECEIPT", `the receipt ${what}, run \`deleatur verify\` on it`, {
    cure: "write a letter only from a receipt that verifies",
    cause,
  });
}
