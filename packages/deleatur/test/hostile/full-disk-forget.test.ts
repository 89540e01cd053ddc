// A disk that is full from one step of a forget on: never a success, a message that names the file system, nothing of others lost, and one resume once there is room.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foresightLines } from "../../src/cli/print/foresight-lines.ts";
import type { RequestOutcome } from "../../src/forget/outcome.ts";
import { DeleaturError } from "../../src/model/errors.ts";
import {
  deriveSummary,
  EPISODES,
  EPISODES_SQL,
  expectErasure,
  openScene,
  recordBoth,
  S,
  S_SAYS,
  type Scene,
  SUMMARIES,
  SUMMARIES_SQL,
  T_SAYS,
  tempFolder,
} from "../cases/scene.ts";
import { isDiskMissing, smallDisk, type SmallDisk } from "../servers/small-disk.ts";

const STEPS = ["pin", "fence", "needles", "denylist", "erase", "purge", "epoch", "probe key", "judge"] as const;
const PLACES = ["ledger", "memory", "lines"] as const;
type Place = (typeof PLACES)[number];

/** A memory of two stores and a ledger, of which one place is the small disk; it is filled when a step begins. */
async function openOn(
  disk: SmallDisk,
  place: Place,
  fillAt: string,
): Promise<{ scene: Scene; wasFilled: () => boolean }> {
  const elsewhere = tempFolder();
  const folderOf = (one: Place): string => join(one === place ? disk.directory : elsewhere, one);
  let state: "laid" | "waits" | "filled" = "laid";
  const scene = await openScene({
    directory: folderOf("memory"),
    ledger: `sqlite:${join(folderOf("ledger"), "deleatur.db")}`,
    sql: EPISODES_SQL + SUMMARIES_SQL,
    surfaces: {
      episodes: EPISODES,
      summaries: { ...SUMMARIES, shared: "destroy" },
      transcripts: {
        kind: "jsonl",
        role: "transcript",
        store: "lines",
        key: "id",
        subject: { field: "user", type: "account" },
        content: ["text"],
      },
    },
    connect: { lines: { path: join(folderOf("lines"), "*.jsonl") } },
    before() {
      for (const one of ["ledger", "lines"] as const) mkdirSync(folderOf(one), { recursive: true });
      for (const [account, texts] of Object.entries({ "s-4471": S_SAYS, "t-0815": T_SAYS }))
        for (const [at, text] of texts.entries()) {
          const line = JSON.stringify({ id: `${account.slice(0, 1)}${at}`, user: account, text });
          appendFileSync(join(folderOf("lines"), "day.jsonl"), `${line}\n`);
        }
    },
    report({ step }) {
      if (state !== "waits" || step !== fillAt) return;
      state = "filled";
      disk.fill();
    },
  });
  await recordBoth(scene);
  await deriveSummary(scene, "m1", ["s1"], "Of a violet accordion in the cellar it is said that it smells of spice");
  await scene.memory.scan();
  state = "waits";
  return { scene, wasFilled: () => state === "filled" };
}

interface Answer {
  readonly outcome?: RequestOutcome;
  /** What was said of it, in a refusal or in an outcome. */
  readonly said: string;
  readonly code?: string;
}

async function forgetOver(scene: Scene): Promise<Answer> {
  try {
    const outcome = await scene.memory.forget({ subject: [S], now: true });
    return { outcome, said: outcome.surfaces.flatMap(({ troubles = [] }) => troubles).join("; ") };
  } catch (error) {
    if (!(error instanceof DeleaturError)) throw error;
    return { code: error.code, said: `${error.message} ${error.cure}` };
  }
}

const OTHERS = { account: "t-0815", n: 3 };

function expectOthersWhole(scene: Scene): void {
  expect(scene.rows("SELECT account, count(*) AS n FROM episodes GROUP BY account")).toEqual([OTHERS]);
  expect(scene.rows("SELECT * FROM summaries")).toEqual([]);
}

/** Files are written anew when a line goes: from then on nothing needs room there. */
const needsRoom = ({ step, place }: { readonly step: (typeof STEPS)[number]; readonly place: Place }): boolean =>
  place !== "lines" || STEPS.indexOf(step) <= STEPS.indexOf("erase");
const ALL = STEPS.flatMap((step) => PLACES.map((place) => ({ step, place })));

describe.skipIf(isDiskMissing)("CLAIM-5 FORGET-1: a disk that is full", () => {
  it.each(ALL.filter(needsRoom))(
    "from $step on, that of the $place: no success, the file system by name, and one resume ends it",
    async ({ step, place }) => {
      const disk = smallDisk(6);
      const { scene, wasFilled } = await openOn(disk, place, step);
      const { outcome, said, code = "STORE_FULL" } = await forgetOver(scene);
      expect([wasFilled(), outcome?.exitCode === 0]).toEqual([true, false]);
      expect(code).toMatch(/^(?:STORE|LEDGER)_(?:FULL|IO)$/u);
      expect(said).toContain(`the file system at ${disk.directory}`);
      for (const word of ["accordion", "s-4471"]) expect(said).not.toContain(word);
      disk.free();
      const [request] = scene.memory.engine.ledger.requests();
      const { memory } = scene;
      const end =
        request === undefined ? memory.forget({ subject: [S], now: true }) : memory.resume(request.id, { now: true });
      expectErasure(scene, await end);
      expectOthersWhole(scene);
    },
  );

  it.each(ALL.filter((one) => !needsRoom(one)))(
    "from $step on, that of the $place: nothing needs it",
    async ({ step, place }) => {
      const { scene, wasFilled } = await openOn(smallDisk(6), place, step);
      const { outcome, said } = await forgetOver(scene);
      expect([wasFilled(), said]).toEqual([true, ""]);
      expect(outcome?.exitCode).toBe(0);
      expectOthersWhole(scene);
    },
  );
});

it("CLAIM-5 FORGET-1: a receipt that cannot be written is an error that names its place, and is written by a resume", async () => {
  const scene = await openScene({ sql: EPISODES_SQL, surfaces: { episodes: EPISODES } });
  await recordBoth(scene);
  const place = join(scene.directory, "receipts");
  writeFileSync(place, "");
  const { said, code } = await forgetOver(scene);
  expect(code).toBe("RECEIPT_UNWRITTEN");
  expect(said).toContain(place);
  const [request] = scene.memory.engine.ledger.requests();
  expect(request?.state).not.toBe("closed");
  rmSync(place);
  expectErasure(scene, await scene.memory.resume(request?.id ?? "", { now: true }));
});

it.skipIf(isDiskMissing)("CLAIM-5: check and a dry run say beforehand where a purge has too little room", async () => {
  const disk = smallDisk(6);
  const { scene } = await openOn(disk, "memory", "never");
  const lines = async (): Promise<string> => foresightLines((await scene.memory.check()).purges, []).join("\n");
  expect(await lines()).not.toContain("make room first");
  disk.fill();
  expect(await lines()).toMatch(
    /want up to \d+ kB of room, and the file system at \S+ has 0 kB free: make room first/u,
  );
  expect(await lines()).toContain(disk.directory);
  disk.free();
});
