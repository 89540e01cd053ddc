// An eviction that one process does not answer: the others let go all the same, and the silent one's keys have failed.
import { expect, it } from "vitest";
import { inProcess } from "../../src/adapters/in-process/index.ts";
import { artifactKey, surfaceId } from "../../src/model/ids.ts";
import { openParticipation } from "../../src/participate/participation.ts";
import { openPadScene, startHolder } from "./participants.ts";

it("LINEAGE-1 CLAIM-5: where one process is silent the others let go, and no key of it is answered as gone", async () => {
  const scene = await openPadScene();
  const [silent, other] = [await startHolder(scene), await startHolder(scene)];
  for (const holder of [silent, other]) await holder.ask("sneak", { key: "note", text: "what both of them hold" });
  await silent.signal("SIGSTOP");
  const id = surfaceId("scratchpad");
  const surface = await inProcess.open({
    surface: id,
    participation: () => openParticipation(scene.memory.engine, id, 3_000),
  });
  const answers = await surface.erase([artifactKey("note")], new AbortController().signal);
  await surface.close();
  expect(answers).toMatchObject([{ key: "note", outcome: "failed", why: "PARTICIPANT_SILENT" }]);
  expect(await other.ask("has", { key: "note" })).toEqual({ has: false });
  await silent.signal("SIGCONT");
});
