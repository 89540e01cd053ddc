// Reads what an audit is given from outside, a foreign tool's claim and a ticket: hostile input, checked for its shape, never repeated.
import { z } from "zod";
import type { ErasureClaim } from "../attest/evidence.ts";
import { UsageError } from "../model/errors.ts";
import { type AuditTicket, TICKET_FORMAT } from "./prepare-audit.ts";

const text = z.string().min(1).max(65_535);

const claimShape = z.object({
  subject: text,
  records: z.array(text).max(1_000_000).optional(),
  status: z.enum(["success", "partial", "failed"]).optional(),
  surfacesReached: z.array(text).max(100_000),
  tombstoneWritten: z.boolean(),
});

const ticketShape = z.object({
  format: z.literal(TICKET_FORMAT),
  ticket: text,
  boundary: text,
  prepared: text,
  expires: text,
  artifacts: z.number().int().min(0),
});

/** @throws UsageError BAD_CLAIM naming the member that is wrong */
export function readClaim(value: unknown): ErasureClaim {
  const parsed = claimShape.safeParse(value);
  if (!parsed.success) {
    throw new UsageError("BAD_CLAIM", "the claim has not the form of a claim", {
      place: { field: String(parsed.error.issues[0]?.path[0] ?? "the whole") },
      cure: "write {subject: type:value, records?: [surface/key], status?: success | partial | failed, surfacesReached: [surface], tombstoneWritten: true | false}",
    });
  }
  const { subject, records, status, surfacesReached, tombstoneWritten } = parsed.data;
  return {
    subject,
    surfacesReached,
    tombstoneWritten,
    ...(records === undefined ? {} : { records }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Takes the ticket alone, or the object of `audit prepare --json` around it. @throws UsageError BAD_TICKET */
export function readTicket(value: unknown): AuditTicket {
  const inner =
    typeof value === "object" && value !== null && "schema" in value && "ticket" in value ? value.ticket : value;
  const parsed = ticketShape.safeParse(inner);
  if (parsed.success) return parsed.data;
  throw new UsageError("BAD_TICKET", "the audit ticket is not a ticket of this version", {
    cure: "run `deleatur audit prepare` before the tool runs",
  });
}
