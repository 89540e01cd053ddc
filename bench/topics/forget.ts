// A person forgotten out of 100,000 episodes with a full-text index, vectors and summaries, beside a script of the same deletes and the same purge; and ten at once beside one.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { actsOf, type Told } from "../forget/told.ts";
import { forgetByHand } from "../forget/by-hand.ts";
import { atMost, type Figure, plain, ratio, type Scene } from "../figure.ts";
import { FORGOTTEN, layMemory, memoryBoundary, STORE_FILE } from "../memories/one-person.ts";
import { median } from "../sample.ts";

/** With an index entry and a vector each, and a summary for ten, these are a closure of 10,000. */
const SIZE = { rows: 100_000, forgotten: 3_226 };
const ROUNDS = 3;
const TEN = Array.from({ length: 10 }, (_, at) => `account:p${at + 1}`);
const ONE = ["account:p11"];
const MIB = 1024 ** 2;

const program = fileURLToPath(new URL("../forget/in-child.js", import.meta.url));

function inChild(act: "record" | "forget", directory: string, persons: readonly string[]): string {
  return execFileSync(process.execPath, [program, act, directory, ...persons], { encoding: "utf8" });
}

export async function bench({ directory, note }: Scene): Promise<readonly Figure[]> {
  const laid = join(directory, "laid");
  mkdirSync(laid);
  layMemory(laid, SIZE);
  // JSON is YAML.
  writeFileSync(join(laid, "deleatur.yaml"), JSON.stringify(memoryBoundary({})));
  note(`${SIZE.rows} episodes laid`);
  inChild("record", laid, []);
  note("their lineage recorded");
  let copies = 0;
  const onCopy = <Result>(act: (copy: string) => Result): Result => {
    const copy = join(directory, `copy-${(copies += 1)}`);
    cpSync(laid, copy, { recursive: true });
    // What is not on the disk yet would be waited for by whoever calls for it first.
    execFileSync("sync");
    try {
      return act(copy);
    } finally {
      rmSync(copy, { recursive: true });
    }
  };
  const ours = (persons: readonly string[]): Told =>
    onCopy((copy) => {
      // Printed by the program, whose `Told` this is.
      const told = JSON.parse(inChild("forget", copy, persons)) as Told;
      if (told.states.some((state) => state !== "COMPLIANT")) throw new Error("a forget did not end COMPLIANT");
      note(`${persons.length} forgotten in ${(told.whole / 1000).toFixed(1)} s`);
      return told;
    });
  const byHand: number[] = [];
  const forgotten: Told[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    byHand.push(onCopy((copy) => forgetByHand(join(copy, STORE_FILE), FORGOTTEN.split(":")[1] ?? "")));
    forgotten.push(ours([FORGOTTEN]));
  }
  const [ten, one] = [ours(TEN), ours(ONE)];
  const of = (pick: (told: Told) => number): number => median(forgotten.map(pick)) / 1000;
  const peer = { what: "a script of the same deletes and purge", value: median(byHand) / 1000 };
  const names = [...new Set(forgotten.flatMap(({ steps }) => Object.keys(steps)))];
  return [
    plain("erased of the closure", [median(forgotten.map(({ erased }) => erased)), "1"]),
    ratio("fence, journal, denylist, erase and purge", [of(actsOf), "s"], peer, atMost(1.5)),
    ratio(
      "from the call to the end of the purge, with the reading of all stores",
      [of(({ purged }) => purged), "s"],
      peer,
      atMost(1.5),
    ),
    ratio("the whole, with probes, commitments and receipt", [of(({ whole }) => whole), "s"], peer, atMost(2.5)),
    plain(
      "peak resident memory",
      [Math.max(...forgotten.map(({ peakBytes }) => peakBytes)) / MIB, "MiB"],
      atMost(1024),
    ),
    ratio(
      "ten people together",
      [ten.whole / 1000, "s"],
      { what: "one of them alone", value: one.whole / 1000 },
      atMost(2),
    ),
    ...names.map((name) => plain(`of the whole: ${name}`, [of(({ steps }) => steps[name] ?? 0), "s"])),
  ];
}
