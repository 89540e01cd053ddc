// The guard's price at the door: a text that comes back and one that does not, against a full denylist. It asks the very function that `record` asks.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import type {
  DenylistOrder,
  FingerprintOrder,
  GramOfRuns,
  Ledger,
} from "../../packages/deleatur/dist/ledger/ledger.js";
import { openKeys } from "../../packages/deleatur/dist/ledger/open-keys.js";
import { openLedger } from "../../packages/deleatur/dist/ledger/open-ledger.js";
import type { ContentField } from "../../packages/deleatur/dist/model/artifact.js";
import { artifactKey, requestId, surfaceId, type SubjectIdentifier } from "../../packages/deleatur/dist/model/ids.js";
import { contentDigests, guardWrite, recordDigest } from "../../packages/deleatur/dist/record/guard.js";
import { atMost, type Figure, plain, ratio, type Scene } from "../figure.ts";
import { byTurns, once } from "../sample.ts";

const ENTRIES = 1_000_000;
const FINGERPRINTS = 20_000_000;
/** Requests that filed them. */
const PERSONS = 50;
const CHARACTERS = 500;
const EPISODES = surfaceId("episodes");

const random = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));

/** 32,768 words of four or five letters and digits. */
const VOCABULARY = Array.from({ length: 32_768 }, (_, at) => (at * 997 + 50_000).toString(36));

/** 32 bits that look random. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Always the same text for one number. */
function textOf(number: number, characters = CHARACTERS): string {
  let text = "";
  for (let at = 1; text.length < characters; at += 1)
    text += `${VOCABULARY[scramble(scramble(number) ^ scramble(at)) >>> 17] ?? ""} `;
  return text.slice(0, characters);
}

const spread = (call: number, among: number): number => scramble(call) % among;
const person = (number: number): SubjectIdentifier => ({ type: "account", value: `p${number}` });
const textField = (text: string): ContentField[] => [{ type: "text", name: "text", text }];
const keyOf = (number: number): ReturnType<typeof artifactKey> => artifactKey(`e${number}`);

interface Filled {
  readonly texts: number;
  readonly entries: number;
  readonly grams: number;
}

/** What `forget` files: texts until there are enough fingerprints, records until there are enough entries. */
function fill(ledger: Ledger, note: Scene["note"]): Filled {
  let [texts, entries, grams] = [0, 0, 0];
  const orderOf = (number: number): FingerprintOrder => {
    const share = (number + 1) / PERSONS;
    const request = requestId(Buffer.from(random(16)).toString("hex"));
    const owners = [ledger.identifierDigest(person(number))];
    const orders: DenylistOrder[] = [];
    function* own(): Generator<GramOfRuns> {
      while (grams < FINGERPRINTS * share) {
        for (const { kind, digest, words } of contentDigests(ledger, textField(textOf(texts)))) {
          orders.push({ kind, digest, shared: false, owners });
          if (words === undefined) continue;
          for (const gram of ledger.runGrams(words)) {
            grams += 1;
            yield gram;
          }
        }
        texts += 1;
      }
      for (let key = entries + orders.length; key < ENTRIES * share; key += 1)
        orders.push({
          kind: "record",
          digest: recordDigest(ledger, { surface: EPISODES, key: keyOf(key) }),
          shared: false,
          owners,
        });
      ledger.addDenylist(request, orders);
      entries += orders.length;
      if (number % 10 === 9) note(`${entries} entries, ${grams} fingerprints`);
    }
    return { request, owners, grams: own() };
  };
  ledger.putFingerprints(Array.from({ length: PERSONS }, (_, number) => orderOf(number)));
  ledger.settleFilter();
  return { texts, entries, grams };
}

export async function bench({ directory, note }: Scene): Promise<readonly Figure[]> {
  const file = join(directory, "ledger.db");
  const keys = openKeys({ file, environment: {}, random });
  const open = (): Ledger => openLedger({ file, keys, clock: () => new Date(), random });
  const first = open();
  const filled = await once(() => fill(first, note));
  first.close();
  const { texts, entries, grams } = filled.result;

  const peerFile = join(directory, "peer.db");
  const made = new Database(peerFile);
  made.pragma("journal_mode = WAL");
  made.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT NOT NULL)");
  made.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES}) INSERT INTO rows SELECT i, 'value ' || i FROM n`,
  );
  made.close();
  const peer = new Database(peerFile);
  const lookUp = peer.prepare<[number]>("SELECT value FROM rows WHERE id = ?");
  const ledger = open();
  const loaded = await once(() => ledger.openFilter());

  const ask = (call: number, text: string, expected: "pass" | "hold"): void => {
    const { answer } = guardWrite(ledger, {
      ref: { surface: EPISODES, key: keyOf(ENTRIES + call) },
      subjects: [person(PERSONS + call)],
      content: textField(text),
    });
    if (answer !== expected) throw new Error(`the guard said ${answer} in place of ${expected}`);
  };
  const samples = 2_000;
  const others = Array.from({ length: samples }, (_, at) => textOf(texts + at));
  const longer = Array.from({ length: samples }, (_, at) => textOf(texts + at, CHARACTERS + 1024));
  const erased = Array.from({ length: samples }, (_, at) => textOf(spread(at, texts)));
  const within = erased.map((text, at) => `${others[at]?.slice(0, 250)} ${text.slice(0, 250)}`);
  const micros = byTurns(
    {
      peer: (call) => void lookUp.get(1 + spread(call, ENTRIES)),
      miss: (call) => ask(call, others[call % samples] ?? "", "pass"),
      longer: (call) => ask(call, longer[call % samples] ?? "", "pass"),
      hit: (call) => ask(call, erased[call % samples] ?? "", "hold"),
      within: (call) => ask(call, within[call % samples] ?? "", "hold"),
    },
    // Samples of under a millisecond: few of them are cut in two by another process's turn.
    { rounds: 1_000, calls: 10 },
  );
  ledger.close();
  peer.close();
  const one = { what: `a lookup by integer key among ${ENTRIES}`, value: micros.peer };
  return [
    plain("entries", [entries, "1"]),
    plain("fingerprints", [grams, "1"]),
    plain("filing them, and the filter", [filled.ms / 1000, "s"]),
    plain("loading the filter", [loaded.ms / 1000, "s"], atMost(3)),
    ratio("a miss, 500 characters", [micros.miss, "µs"], one, atMost(6)),
    ratio("a hit, the erased text itself", [micros.hit, "µs"], one, atMost(35)),
    ratio("a hit, 250 characters of it within 500", [micros.within, "µs"], one, atMost(35)),
    ratio("each further kilobyte of a miss", [micros.longer - micros.miss, "µs"], one, atMost(30)),
  ];
}
