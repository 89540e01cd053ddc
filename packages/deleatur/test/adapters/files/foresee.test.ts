// What is said of a folder before anything is written in it: whether it may be, and how much room a rewrite takes. Then the same act, refused.
import { expect, it } from "vitest";
import { isDiskMissing, smallDisk } from "../../servers/small-disk.ts";
import { folderAt, keys, openSurface, signal } from "./open-folder.ts";

const LINES = ["e1", "e2"].map((id) => `${JSON.stringify({ id, user: "s", text: "a word" })}\n`).join("");
const TEXT = { kind: "text", key: [], subject: [], content: [] } as const;

it.skipIf(isDiskMissing).each([
  { kind: "jsonl", given: {}, key: "e1", spareBytes: Buffer.byteLength(LINES) },
  { kind: "text", given: TEXT, key: "a.log", spareBytes: 0 },
])(
  "CLAIM-5: a folder of kind $kind that may only be read is foreseen, and the erase refused",
  async ({ given, key, spareBytes }) => {
    const disk = smallDisk(1);
    const folder = folderAt(disk.directory);
    folder.write("a.log", LINES);
    const surface = await openSurface(folder, "*.log", given);
    const before = await surface.foresee(signal);
    expect([before.refused, before.spareBytes, before.disk?.mount]).toEqual([[], spareBytes, disk.directory]);
    disk.mayBeWritten(false);
    const { refused } = await surface.foresee(signal);
    expect(refused.map(({ act }) => act)).toEqual(["erase", "plant"]);
    expect(refused[0]?.why).toContain("may not be written");
    expect(await surface.erase(keys(key), signal)).toMatchObject([{ outcome: "failed" }]);
    disk.mayBeWritten(true);
    expect((await surface.foresee(signal)).refused).toEqual([]);
    expect(await surface.erase(keys(key), signal)).toMatchObject([{ outcome: "erased" }]);
  },
);
