// What an application waits for: a whole `record`, its own insert in it, beside that insert alone; and a harvest of a store that never recorded. Told, not judged.
import { join } from "node:path";
import Database from "better-sqlite3";
import { defineBoundary, openDeleatur } from "../../packages/deleatur/dist/index.js";
import { type Figure, plain, ratio, type Scene } from "../figure.ts";
import { median, once } from "../sample.ts";
import { scramble } from "./open-ledger.ts";

const HARVESTED = 50_000;
const SIZES = [
  { size: 1, rounds: 200 },
  { size: 100, rounds: 20 },
  { size: 1_000, rounds: 5 },
] as const;
const WORDS = 80;
const PER_PERSON = 20;

const SCHEMA = `CREATE TABLE episodes (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;`;

function boundaryIn(directory: string) {
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "bench/lineage",
      identifiers: ["account"],
      writers: "sdk",
      surfaces: {
        episodes: {
          kind: "sqlite",
          role: "primary",
          store: "memory",
          table: "episodes",
          key: "id",
          subject: { column: "account", type: "account" },
          content: ["text"],
        },
      },
      connect: { ledger: "sqlite:./whole.db", memory: { file: "./memory.db" } },
    },
    { directory, env: {} },
  );
}

interface Episode {
  readonly key: string;
  readonly account: string;
  readonly text: string;
}

function episodeOf(number: number): Episode {
  const words = Array.from({ length: WORDS }, (_, at) => (scramble(number * WORDS + at) % 40_000).toString(36));
  return {
    key: `${scramble(number).toString(36)}-${number}`,
    account: `p-${Math.floor(number / PER_PERSON)}`,
    text: words.join(" "),
  };
}

export async function wholeRecord({ directory, note }: Scene): Promise<readonly Figure[]> {
  const app = new Database(join(directory, "memory.db"));
  app.pragma("journal_mode = WAL");
  app.pragma("synchronous = FULL");
  app.exec(SCHEMA);
  const statement = app.prepare<[string, string, string]>("INSERT INTO episodes VALUES (?, ?, ?)");
  const insert = app.transaction((list: readonly Episode[]) => {
    for (const { key, account, text } of list) statement.run(key, account, text);
  });
  let next = 0;
  const episodes = (count: number): Episode[] => {
    const list = Array.from({ length: count }, (_, at) => episodeOf(next + at));
    next += count;
    return list;
  };
  insert(episodes(HARVESTED));
  const memory = await openDeleatur(boundaryIn(directory));
  const harvest = await once(() => memory.scan());
  if (harvest.result.artifacts !== HARVESTED) throw new Error("not everything was harvested");
  const again = await once(() => memory.scan());
  const figures: Figure[] = [
    plain("harvested a second, never seen before", [(HARVESTED * 1000) / harvest.ms, "1"]),
    plain("harvested a second, known already", [(HARVESTED * 1000) / again.ms, "1"]),
  ];
  for (const { size, rounds } of SIZES) {
    const [whole, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const recorded = episodes(size);
      const given = recorded.map(({ key, account, text }) => ({
        key,
        subjects: [`account:${account}`],
        content: { text },
      }));
      whole.push(
        (
          await once(() =>
            memory.recordBatch("episodes", given, () => {
              insert(recorded);
            }),
          )
        ).ms,
      );
      const plainOnes = episodes(size);
      bare.push((await once(() => insert(plainOnes))).ms);
    }
    const each = (list: readonly number[]): number => (median(list) * 1000) / size;
    figures.push(
      ratio(`a whole record, ${size} a batch`, [each(whole), "µs"], {
        what: "the application's insert alone",
        value: each(bare),
      }),
    );
  }
  await memory.close();
  app.close();
  note("done");
  return [...figures, plain("peak resident memory", [process.resourceUsage().maxRSS / 1024, "MiB"])];
}
