// Processes that hold memory, as an operator sees them on the command line and says that one is gone.
import { expect, it } from "vitest";
import { makeExchangePair } from "../../src/ledger/exchange-seal.ts";
import { currentWriter } from "../../src/ledger/process-identity.ts";
import { openDeleatur } from "../../src/open-deleatur.ts";
import { askCli, runCli } from "./run-cli.ts";
import { smallMemory } from "./small-memory.ts";

it("LINEAGE-1: an operator who knows a process of another host to be gone ends its lease; one that is seen to live keeps it", async () => {
  const { directory, boundaryFile } = smallMemory();
  const memory = await openDeleatur(boundaryFile, { environment: {} });
  const here = currentWriter();
  const [gone = "", alive = ""] = [{ ...here, host: "elsewhere/pid:[1]", pid: 7 }, here].map((process) =>
    memory.engine.ledger.joinParticipant({
      surface: "scratchpad",
      purpose: "memory",
      exchange: makeExchangePair().publicKey,
      process,
      leaseMs: 1000,
    }),
  );
  await memory.close();
  expect((await runCli(directory, ["participants"])).out).toContain("elsewhere, process 7");
  const refused = await askCli(directory, ["participants", "--gone", gone, alive]);
  expect([refused.exitCode, refused.json["error"]]).toEqual([
    2,
    expect.objectContaining({ code: "PARTICIPANT_ALIVE" }),
  ]);
  const unknown = await askCli(directory, ["participants", "--gone", "0".repeat(32)]);
  expect(unknown.json["error"]).toMatchObject({ code: "PARTICIPANT_UNKNOWN" });
  expect((await askCli(directory, ["participants", "--gone", gone])).json["ended"]).toBe(1);
  const left = (await askCli(directory, ["participants"])).json["participants"] as readonly { id: string }[];
  expect(left.map(({ id }) => id)).toEqual([alive]);
});
