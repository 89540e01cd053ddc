// Intents: a write is announced, done, committed; under a fence it is refused, in the same transaction (DESIGN §3.3). An intent must not end by time.
import { WriteRefusedError } from "../model/errors.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import {
  hexList,
  jsonBytes,
  newId,
  now,
  parseJsonBytes,
  plainIdentifier,
  plainRef,
  sealByGuard,
  unsealByGuard,
  type LedgerCore,
} from "./ledger-core.ts";
import type { Fence, IntentOrder, Intents, Lineage, OpenIntent } from "./ledger.ts";

/** What is sealed of an intent. */
interface Intended {
  readonly isKeyReusable?: true;
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly contentDigest?: string;
}

interface IntentRow {
  readonly id: string;
  readonly state: "open" | "unresolved";
  readonly sealed: Uint8Array;
  readonly begun: string;
  readonly lease_until: string;
  readonly host: string;
  readonly pid: number;
  readonly started: string;
}

const placeOf = (id: string): string => `intents/${id}`;

export function createIntents(
  core: LedgerCore,
  fence: Pick<Fence, "isFenced">,
  lineage: Pick<Lineage, "recordArtifacts">,
): Intents {
  const { connection, digests } = core;

  function intentRow(id: string): IntentRow | undefined {
    return connection.get<IntentRow>("SELECT * FROM intents WHERE id = ?", id);
  }

  function open({ id, sealed }: IntentRow): Intended {
    return parseJsonBytes<Intended>(unsealByGuard(core, placeOf(id), sealed));
  }

  function refuseWhereForbidden({ ref, subjects, sources, isKeyReusable }: Intended): void {
    const place = { surface: ref.surface };
    const isKnown = subjects.length + sources.length > 0;
    const refs = isKeyReusable === true && isKnown ? [] : [ref];
    if (fence.isFenced({ identifiers: subjects, refs, sources })) {
      throw new WriteRefusedError(
        "FENCED",
        `a write to ${ref.surface} is refused, its person, its key or a source of it is being erased`,
        { place, cure: "do not retry; undo what was written" },
      );
    }
    const erased = connection.get(
      `SELECT 1 FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.digest = unhex(j.value)
       WHERE a.state = 'erased' LIMIT 1`,
      hexList(sources.map((source) => digests.artifactDigest(source))),
    );
    if (erased !== undefined) {
      throw new WriteRefusedError(
        "ERASED_SOURCE",
        `a derivation into ${ref.surface} is refused, a source of it was erased`,
        {
          place,
          cure: "derive again from sources that exist",
        },
      );
    }
  }

  function record({ ref, subjects, sources, contentDigest }: Intended): void {
    const digest =
      contentDigest === undefined ? {} : { contentDigest: new Uint8Array(Buffer.from(contentDigest, "hex")) };
    lineage.recordArtifacts([{ ref, subjects, sources, origin: "recorded", ...digest }]);
  }

  function end(id: string): void {
    connection.run("DELETE FROM intents WHERE id = ?", id);
  }

  function begin(order: IntentOrder, writer: OpenIntent["writer"]): string {
    const intended: Intended = {
      ref: plainRef(order.ref),
      subjects: order.subjects.map((subject) => plainIdentifier(subject)),
      sources: order.sources.map((source) => plainRef(source)),
      ...(order.isKeyReusable === true ? { isKeyReusable: true } : {}),
      ...(order.contentDigest === undefined ? {} : { contentDigest: Buffer.from(order.contentDigest).toString("hex") }),
    };
    refuseWhereForbidden(intended);
    const id = newId(core);
    connection.run(
      "INSERT INTO intents (id, state, sealed, begun, lease_until, host, pid, started) VALUES (?, 'open', ?, ?, ?, ?, ?, ?)",
      id,
      sealByGuard(core, placeOf(id), jsonBytes(intended)),
      now(core),
      new Date(core.clock().getTime() + order.leaseMs).toISOString(),
      writer.host,
      writer.pid,
      writer.started,
    );
    return id;
  }

  return {
    beginIntents: (list, writer) => connection.transaction(() => list.map((order) => begin(order, writer))),
    commitIntents(ids) {
      connection.transaction(() => {
        for (const id of ids) {
          const row = intentRow(id);
          if (row?.state !== "open") {
            throw new WriteRefusedError("FENCED", "a commit is refused, its intent was resolved while it was paused", {
              cure: "undo what was written",
            });
          }
          const intended = open(row);
          refuseWhereForbidden(intended);
          record(intended);
          end(id);
        }
      });
    },
    abortIntents(ids) {
      connection.transaction(() => {
        for (const id of ids) end(id);
        connection.flushAfterCommit();
      });
    },
    openIntents: () =>
      connection.all<IntentRow>("SELECT * FROM intents ORDER BY begun, id").map((row): OpenIntent => {
        const { ref, subjects, sources, contentDigest } = open(row);
        return {
          id: row.id,
          ref,
          subjects,
          sources,
          ...(contentDigest === undefined ? {} : { contentDigest: new Uint8Array(Buffer.from(contentDigest, "hex")) }),
          begun: new Date(row.begun),
          leaseUntil: new Date(row.lease_until),
          writer: { host: row.host, pid: row.pid, started: row.started },
          state: row.state,
        };
      }),
    resolveIntent(id, how) {
      connection.transaction(() => {
        const row = intentRow(id);
        if (row === undefined) return;
        switch (how) {
          case "joined":
            // It was found in its store: under the fence it joins the closure instead of being refused.
            record(open(row));
            end(id);
            return;
          case "aborted":
            end(id);
            connection.flushAfterCommit();
            return;
          case "unresolved":
            connection.run("UPDATE intents SET state = 'unresolved' WHERE id = ?", id);
            return;
          default:
            how satisfies never;
        }
      });
    },
  };
}
