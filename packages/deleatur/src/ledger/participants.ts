// The ledger's part in process memory: leases, orders and answers (DESIGN §4). It must not end a lease by time, and it reads no order.
import { newId, now, type LedgerCore } from "./ledger-core.ts";
import type { Writer } from "./ledger.ts";
import { isKnownDead } from "./process-identity.ts";

/** A process that holds a surface in its memory. */
export interface Participant {
  readonly id: string;
  readonly surface: string;
  readonly purpose: "memory" | "control";
  /** Public X25519 key, 32 bytes. */
  readonly exchange: Uint8Array;
  readonly leaseUntil: Date;
  readonly process: Writer;
}

export interface ParticipantOrder {
  readonly id: string;
  readonly sealed: Uint8Array;
  readonly asker: Writer;
}

export interface Participants {
  joinParticipant(
    order: Pick<Participant, "surface" | "purpose" | "exchange" | "process"> & { readonly leaseMs: number },
  ): string;
  /** False where the lease is no longer there: somebody said that its process is gone. */
  renewParticipant(id: string, leaseMs: number): boolean;
  /** Ends a lease with its orders. False where it is not there. */
  endParticipant(id: string): boolean;
  /** Every lease whose process is not known to be dead, run out or not, by id. One whose process is known dead ends here: its memory ended with it. */
  participants(surface?: string): readonly Participant[];
  /** Whether any process ever held this surface in its memory. */
  hasParticipated(surface: string): boolean;
  /** `seal` is given the order's id. */
  placeOrder(participant: string, asker: Writer, seal: (id: string) => Uint8Array): string;
  /** The oldest order that is not among those left out; orders of askers that are known dead are dropped. */
  nextOrder(participant: string, without: ReadonlySet<string>): ParticipantOrder | undefined;
  /** Whether the asker still wants an answer, and how many parts it has not taken yet. */
  orderState(id: string): { readonly isWanted: boolean; readonly waiting: number };
  putAnswer(order: string, part: number, sealed: Uint8Array): void;
  /** Takes the parts that are there, in order. */
  takeAnswers(order: string): readonly { readonly part: number; readonly sealed: Uint8Array }[];
  dropOrder(id: string): void;
}

interface ParticipantRow {
  readonly id: string;
  readonly surface: string;
  readonly purpose: "memory" | "control";
  readonly exchange: Uint8Array;
  readonly lease_until: string;
  readonly host: string;
  readonly pid: number;
  readonly started: string;
}

interface OrderRow extends Writer {
  readonly id: string;
  readonly sealed: Uint8Array;
}

const writerOf = ({ host, pid, started }: Writer): Writer => ({ host, pid, started });

export function createParticipants(core: LedgerCore): Participants {
  const { connection } = core;
  const until = (leaseMs: number): string => new Date(core.clock().getTime() + leaseMs).toISOString();
  const end = (id: string): boolean => connection.run("DELETE FROM participants WHERE id = ?", id) > 0;

  return {
    joinParticipant: ({ surface, purpose, exchange, process, leaseMs }) =>
      connection.transaction(() => {
        const id = newId(core);
        connection.run(
          "INSERT INTO participants (id, surface, purpose, exchange, joined, lease_until, host, pid, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
          id,
          surface,
          purpose,
          exchange,
          now(core),
          until(leaseMs),
          process.host,
          process.pid,
          process.started,
        );
        if (purpose === "memory")
          connection.run(
            "INSERT INTO participated (surface, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
            surface,
            now(core),
          );
        return id;
      }),
    renewParticipant: (id, leaseMs) =>
      connection.run("UPDATE participants SET lease_until = ? WHERE id = ?", until(leaseMs), id) > 0,
    endParticipant: end,
    participants(surface) {
      const rows =
        surface === undefined
          ? connection.all<ParticipantRow>("SELECT * FROM participants ORDER BY id")
          : connection.all<ParticipantRow>("SELECT * FROM participants WHERE surface = ? ORDER BY id", surface);
      return rows.flatMap((row): readonly Participant[] => {
        const process = writerOf(row);
        if (isKnownDead(process)) {
          if (!connection.readonly) end(row.id);
          return [];
        }
        const { id, purpose, exchange } = row;
        const leaseUntil = new Date(row.lease_until);
        return [{ id, surface: row.surface, purpose, exchange: new Uint8Array(exchange), leaseUntil, process }];
      });
    },
    hasParticipated: (surface) => connection.get("SELECT 1 FROM participated WHERE surface = ?", surface) !== undefined,
    placeOrder: (participant, asker, sealOrder) =>
      connection.transaction(() => {
        const id = newId(core);
        connection.run(
          // A lease that ended meanwhile takes no order.
          "INSERT INTO participant_orders (id, participant, sealed, placed, host, pid, started) SELECT ?, p.id, ?, ?, ?, ?, ? FROM participants AS p WHERE p.id = ?",
          id,
          sealOrder(id),
          now(core),
          asker.host,
          asker.pid,
          asker.started,
          participant,
        );
        return id;
      }),
    nextOrder(participant, without) {
      const rows = connection.all<OrderRow>(
        "SELECT id, sealed, host, pid, started FROM participant_orders WHERE participant = ? ORDER BY placed, id",
        participant,
      );
      for (const row of rows) {
        if (without.has(row.id)) continue;
        const asker = writerOf(row);
        if (!isKnownDead(asker)) return { id: row.id, sealed: new Uint8Array(row.sealed), asker };
        connection.run("DELETE FROM participant_orders WHERE id = ?", row.id);
      }
      return undefined;
    },
    orderState(id) {
      const row = connection.get<Writer & { waiting: number }>(
        "SELECT host, pid, started, (SELECT count(*) FROM participant_answers WHERE asked = o.id) AS waiting FROM participant_orders AS o WHERE id = ?",
        id,
      );
      return { isWanted: row !== undefined && !isKnownDead(writerOf(row)), waiting: row?.waiting ?? 0 };
    },
    putAnswer(order, part, sealed) {
      connection.run(
        "INSERT INTO participant_answers (asked, part, sealed) SELECT id, ?, ? FROM participant_orders WHERE id = ?",
        part,
        sealed,
        order,
      );
    },
    takeAnswers: (order) => {
      const some = connection.get("SELECT 1 FROM participant_answers WHERE asked = ? LIMIT 1", order);
      // Most looks find nothing yet: those take no write lock.
      if (some === undefined) return [];
      return connection.transaction(() => {
        const parts = connection.all<{ part: number; sealed: Uint8Array }>(
          "SELECT part, sealed FROM participant_answers WHERE asked = ? ORDER BY part",
          order,
        );
        connection.run("DELETE FROM participant_answers WHERE asked = ?", order);
        return parts.map(({ part, sealed }) => ({ part, sealed: new Uint8Array(sealed) }));
      });
    },
    dropOrder(id) {
      connection.run("DELETE FROM participant_orders WHERE id = ?", id);
    },
  };
}
