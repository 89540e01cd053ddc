// The guard's price at the door: a text that comes back and one that does not, against a full denylist. It asks the very function that `record` asks.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Ledger } from "../../packages/deleatur/dist/ledger/ledger.js";
import { openKeys } from "../../packages/deleatur/dist/ledger/open-keys.js";
import { openLedger } from "../../packages/deleatur/dist/ledger/open-ledger.js";
import { artifactKey, requestId, surfaceId, type SubjectIdentifier } from "../../packages/deleatur/dist/model/ids.js";
import { contentDigests, guardWrite } from "../../packages/deleatur/dist/record/guard.js";
import { atMost, type Figure, plain, ratio, type Scene } from "../figure.ts";
import { byTurns, once } from "../sample.ts";

const PERSONS = 50;
const ENTRIES = 20_000;
/** Words of one erased text: of about 500 characters. */
const WORDS = 80;

const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));

/** A word of four to eight letters out of 32,768. */
const VOCABULARY = Array.from({ length: 32_768 }, (_, at) => (at * 997 + 50_000).toString(36).padStart(4, "a"));

/** 32 bits that look random. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Always the same text for one number. */
function textOf(number: number, words: number): string {
  const text: string[] = [];
  for (let at = 1; at <= words; at += 1) text.push(VOCABULARY[scramble(scramble(number) ^ scramble(at)) >>> 17] ?? "");
  return text.join(" ");
}

const person = (number: number): SubjectIdentifier => ({ type: "account", value: `p${number}` });

function fill(ledger: Ledger): number {
  let runs = 0;
  const texts = ENTRIES / PERSONS;
  for (let number = 0; number < PERSONS; number += 1) {
    const request = requestId(Buffer.from(random(16)).toString("hex"));
    const owners = [ledger.identifierDigest(person(number))];
    const own = Array.from({ length: texts }, (_, at) => textOf(number * texts + at, WORDS));
    ledger.transaction(() => {
      ledger.addDenylist(
        request,
        own.flatMap((text) =>
          contentDigests(ledger, [{ type: "text", name: "text", text }]).map(({ kind, digest }) => ({
            kind,
            digest,
            shared: false,
            owners,
          })),
        ),
      );
      runs += ledger.putFingerprints(
        request,
        owners,
        own.flatMap((text) => [...ledger.runGrams(text.split(" "))]),
      );
    });
  }
  return runs;
}

export async function bench({ directory, note }: Scene): Promise<readonly Figure[]> {
  const file = join(directory, "ledger.db");
  const keys = openKeys({ file, environment: {}, random });
  const ledger = openLedger({ file, keys, clock: () => new Date(), random });
  const filled = await once(() => fill(ledger));
  note(`${filled.result} runs of ${ENTRIES} texts filed in ${(filled.ms / 1000).toFixed(1)} s`);

  const peer = new Database(join(directory, "peer.db"));
  peer.pragma("journal_mode = WAL");
  peer.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT NOT NULL)");
  peer.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES}) INSERT INTO rows SELECT i, 'value ' || i FROM n`,
  );
  const lookUp = peer.prepare<[number]>("SELECT value FROM rows WHERE id = ?");

  const ask = (text: string, expected: "pass" | "hold"): void => {
    const { answer } = guardWrite(ledger, {
      ref: { surface: surfaceId("episodes"), key: artifactKey("e1") },
      subjects: [person(-1)],
      content: [{ type: "text", name: "text", text }],
    });
    if (answer !== expected) throw new Error(`the guard said ${answer} in place of ${expected}`);
  };
  const rounds = { rounds: 30, calls: 200 };
  const other = Array.from({ length: 1_000 }, (_, at) => textOf(ENTRIES + at, WORDS));
  const longer = Array.from({ length: 1_000 }, (_, at) => textOf(ENTRIES + at, 3 * WORDS));
  const micros = byTurns(
    {
      peer: (call) => void lookUp.get(1 + ((call * 7919) % ENTRIES)),
      miss: (call) => ask(other[call % 1_000] ?? "", "pass"),
      longer: (call) => ask(longer[call % 1_000] ?? "", "pass"),
      hit: (call) => ask(textOf((call * 7919) % ENTRIES, WORDS), "hold"),
    },
    rounds,
  );
  const one = { what: "one lookup by integer key", value: micros.peer };
  ledger.close();
  peer.close();
  return [
    plain(`filing ${filled.result} runs`, [filled.ms / 1000, "s"]),
    ratio("a miss, 500 characters", [micros.miss, "µs"], one, atMost(6)),
    ratio("a hit, 500 characters", [micros.hit, "µs"], one, atMost(35)),
    ratio("each further kilobyte of a miss", [micros.longer - micros.miss, "µs"], one, atMost(30)),
  ];
}
