// Intents: a write is announced, done, committed; under a fence it is refused, in the same transaction (DESIGN §3.3). An intent must not end by time.
import { WriteRefusedError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import { artifactKey, surfaceId } from "../model/ids.ts";
import { digestRecords, findRows, rowOf, type DigestedRecord, type Rows } from "./artifact-rows.ts";
import { isAnyFenced, isFenceUp } from "./fence.ts";
import { jsonBytes, newId, now, parseJsonBytes, sealByGuard, unsealByGuard, type LedgerCore } from "./ledger-core.ts";
import type { IntentOrder, Intents, OpenIntent } from "./ledger.ts";
import { ORIGINS, STATE } from "./lineage-codes.ts";
import { enterAnnounced, enterRecords } from "./record-artifacts.ts";

/** What is sealed of one write; null in the place of one that has ended. Lists, for there are many of them. */
type Sealed = readonly [
  surface: string,
  key: string,
  subjects: readonly (readonly [type: string, value: string])[],
  sources: readonly (readonly [surface: string, key: string])[],
  contentDigest: string,
  isKeyReusable: 0 | 1,
];

interface Intended extends DigestedRecord {
  readonly isKeyReusable: boolean;
}

/** The writes of a group as they were announced, with the rows that the ledger had then. */
interface Announced {
  readonly list: readonly Intended[];
  readonly rows: Rows;
}

interface GroupRow {
  readonly id: string;
  readonly states: string;
  readonly sealed: Uint8Array;
  readonly begun: string;
  readonly lease_until: string;
  readonly host: string;
  readonly pid: number;
  readonly started: string;
}

/** Groups whose digests are kept from their begin to their commit. */
const REMEMBERED = 256;
const RECORDED = ORIGINS.indexOf("recorded");

const placeOf = (group: string): string => `intents/${group}`;

/** The id of a write: its group's, with its place where the group has several. */
function memberId(group: string, place: number, size: number): string {
  return size === 1 ? group : `${group}.${place}`;
}

function parseMember(id: string): readonly [group: string, place: number] {
  const [group = "", place = "0"] = id.split(".");
  return [group, Number(place)];
}

function toSealed({ artifact: { ref }, subjects, sources, contentDigest, isKeyReusable }: Intended): Sealed {
  return [
    ref.surface,
    ref.key,
    subjects.map(({ identifier: { type, value } }) => [type, value]),
    sources.map((source) => [source.ref.surface, source.ref.key]),
    contentDigest === undefined ? "" : Buffer.from(contentDigest).toString("base64"),
    isKeyReusable ? 1 : 0,
  ];
}

function fromSealed([surface, key, subjects, sources, contentDigest, isKeyReusable]: Sealed): Omit<
  IntentOrder,
  "leaseMs"
> {
  return {
    ref: { surface: surfaceId(surface), key: artifactKey(key) },
    subjects: subjects.map(([type, value]) => ({ type, value })),
    sources: sources.map(([of, at]) => ({ surface: surfaceId(of), key: artifactKey(at) })),
    ...(contentDigest === "" ? {} : { contentDigest: new Uint8Array(Buffer.from(contentDigest, "base64")) }),
    isKeyReusable: isKeyReusable === 1,
  };
}

function refuseSource({
  artifact: {
    ref: { surface },
  },
}: Intended): never {
  throw new WriteRefusedError("ERASED_SOURCE", `a derivation into ${surface} is refused, a source of it was erased`, {
    place: { surface },
    cure: "derive again from sources that exist",
  });
}

function byGroup(ids: readonly string[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const id of ids) {
    const [group, place] = parseMember(id);
    const places = groups.get(group);
    if (places === undefined) groups.set(group, [place]);
    else places.push(place);
  }
  return groups;
}

/** The digests, as hex, by which a write is judged under a fence. */
function judged({ artifact, subjects, sources, isKeyReusable }: Intended): string[] {
  const isKnown = subjects.length + sources.length > 0;
  const all = [...subjects, ...sources].map(({ hex }) => hex);
  return isKeyReusable && isKnown ? all : [...all, artifact.hex];
}

export function createIntents(core: LedgerCore): Intents {
  const { connection } = core;
  const remembered = new Map<string, Announced>();

  function intend(list: readonly Omit<IntentOrder, "leaseMs">[]): Intended[] {
    return digestRecords(core, list).map((record, place) => ({
      ...record,
      isKeyReusable: list[place]?.isKeyReusable === true,
    }));
  }

  /** Looks up what the writes name. @throws WriteRefusedError */
  function announce(list: readonly Intended[]): Announced {
    refuseFenced(list);
    const rows = findRows(core, list, RECORDED);
    for (const one of list)
      if (one.sources.some((source) => rowOf(rows, source).state === STATE.erased)) refuseSource(one);
    return { list, rows };
  }

  function remember(group: string, announced: Announced): void {
    remembered.set(group, announced);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED) return;
      remembered.delete(oldest);
    }
  }

  function groupRow(group: string): GroupRow | undefined {
    return connection.get<GroupRow>("SELECT * FROM intents WHERE id = ?", group);
  }

  function open({ id, sealed }: GroupRow): readonly (Sealed | null)[] {
    return parseJsonBytes<readonly (Sealed | null)[]>(unsealByGuard(core, placeOf(id), sealed));
  }

  function sealList(group: string, list: readonly (Sealed | null)[]): Uint8Array {
    return sealByGuard(core, placeOf(group), jsonBytes(list));
  }

  /** Asks for all at once; only where the answer is yes, for each, so that the refusal names its surface. @throws WriteRefusedError */
  function refuseFenced(list: readonly Intended[]): void {
    if (!isFenceUp(core) || !isAnyFenced(core, list.flatMap(judged))) return;
    const surface = list.find((one) => isAnyFenced(core, judged(one)))?.artifact.ref.surface ?? "";
    throw new WriteRefusedError(
      "FENCED",
      `a write to ${surface} is refused, its person, its key or a source of it is being erased`,
      { place: { surface }, cure: "do not retry; undo what was written" },
    );
  }

  /** Gives writes of one group a new state; what ended leaves the sealed list, and the last one the table. */
  function setStates(row: GroupRow, places: readonly number[], state: "-" | "u"): void {
    const ending = new Set(places);
    const states = row.states.split("").map((letter, place) => (ending.has(place) && letter !== "-" ? state : letter));
    if (states.every((letter) => letter === "-")) {
      remembered.delete(row.id);
      connection.run("DELETE FROM intents WHERE id = ?", row.id);
      return;
    }
    connection.run("UPDATE intents SET states = ? WHERE id = ?", states.join(""), row.id);
    if (state === "u") return;
    const list = open(row).map((one, place) => (states[place] === "-" ? null : one));
    connection.run("UPDATE intents SET sealed = ? WHERE id = ?", sealList(row.id, list), row.id);
  }

  function commitGroup(group: string, places: readonly number[]): void {
    const row = groupRow(group);
    if (row === undefined || places.some((place) => row.states[place] !== "o")) {
      throw new WriteRefusedError("FENCED", "a commit is refused, its intent was resolved while it was paused", {
        cure: "undo what was written",
      });
    }
    const announced = remembered.get(group);
    if (announced !== undefined && places.length === row.states.length) {
      refuseFenced(announced.list);
      enterAnnounced(core, announced.list, "recorded", announced.rows, refuseSource);
    } else {
      const list = intend(orders(row, places));
      announce(list);
      enterRecords(core, list, "recorded");
    }
    setStates(row, places, "-");
  }

  function resolve(group: string, places: readonly number[], how: "joined" | "aborted" | "unresolved"): void {
    const row = groupRow(group);
    if (row === undefined) return;
    const open = places.filter((place) => row.states[place] === "o" || row.states[place] === "u");
    if (open.length === 0) return;
    // What was found in its store joins the closure under the fence, instead of being refused.
    if (how === "joined") enterRecords(core, intend(orders(row, open)), "recorded");
    setStates(row, open, how === "unresolved" ? "u" : "-");
  }

  function orders(row: GroupRow, places: readonly number[]): Omit<IntentOrder, "leaseMs">[] {
    const list = open(row);
    return places.flatMap((place) => {
      const one = list[place];
      return one === undefined || one === null ? [] : [fromSealed(one)];
    });
  }

  return {
    beginIntents(list, writer) {
      if (list.length === 0) return [];
      const intended = intend(list);
      const group = newId(core);
      const leaseMs = Math.max(...list.map((order) => order.leaseMs));
      const announced = connection.transaction(() => {
        const looked = announce(intended);
        connection.run(
          "INSERT INTO intents (id, states, sealed, begun, lease_until, host, pid, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          group,
          "o".repeat(list.length),
          sealList(group, intended.map(toSealed)),
          now(core),
          new Date(core.clock().getTime() + leaseMs).toISOString(),
          writer.host,
          writer.pid,
          writer.started,
        );
        return looked;
      });
      remember(group, announced);
      return list.map((_, place) => memberId(group, place, list.length));
    },
    commitIntents(ids) {
      // Lost by a power failure, it leaves the open intent, which tells the same and is resolved by reading the store.
      connection.transaction(() => {
        for (const [group, places] of byGroup(ids)) commitGroup(group, places);
      }, "lazy");
    },
    abortIntents(ids) {
      connection.transaction(() => {
        for (const [group, places] of byGroup(ids)) {
          const row = groupRow(group);
          if (row !== undefined) setStates(row, places, "-");
        }
        connection.flushAfterCommit();
      });
    },
    // Their writer lives, and will not see to them any more: they stay open as a dead one's, with all that were begun with them.
    leaveIntents(ids) {
      connection.transaction(() => {
        for (const group of byGroup(ids).keys())
          connection.run("UPDATE intents SET started = started || '/left' WHERE id = ?", group);
      });
    },
    openIntents: () =>
      connection.all<GroupRow>("SELECT * FROM intents ORDER BY begun, id").flatMap((row) => {
        const list = open(row);
        return row.states.split("").flatMap((letter, place): OpenIntent[] => {
          const one = list[place];
          if (letter === "-" || one === undefined || one === null) return [];
          const { ref, subjects, sources, contentDigest } = fromSealed(one);
          return [
            {
              id: memberId(row.id, place, row.states.length),
              ref,
              subjects,
              sources,
              ...(contentDigest === undefined ? {} : { contentDigest }),
              begun: new Date(row.begun),
              leaseUntil: new Date(row.lease_until),
              writer: { host: row.host, pid: row.pid, started: row.started },
              state: letter === "o" ? "open" : "unresolved",
            },
          ];
        });
      }),
    resolveIntents(ends) {
      connection.transaction(() => {
        for (const [how, some] of groupBy(ends, (end) => end.how))
          for (const [group, places] of byGroup(some.map(({ id }) => id))) resolve(group, places, how);
        if (ends.some(({ how }) => how === "aborted")) connection.flushAfterCommit();
      });
    },
  };
}
