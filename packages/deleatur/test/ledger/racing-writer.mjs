// A writer process for the race test: begins and commits intents about one person until the fence refuses it; prints what it did as JSON.
import { randomBytes } from "node:crypto";
import { currentWriter } from "../../dist/ledger/process-identity.js";
import { openKeys } from "../../dist/ledger/open-keys.js";
import { openLedger } from "../../dist/ledger/open-ledger.js";

const [file, name] = process.argv.slice(2);
const random = (bytes) => new Uint8Array(randomBytes(bytes));
const ledger = openLedger({
  file,
  keys: openKeys({ file, environment: {}, random }),
  clock: () => new Date(),
  random,
  busyTimeoutMs: 20_000,
});
const subjects = [{ type: "account", value: "42" }];
let committed = 0;
let refusedAt = "never";
process.stdout.write("ready\n");
for (let at = 0; at < 5000 && refusedAt === "never"; at += 1) {
  const ref = { surface: "episodes", key: `${name}-${at}` };
  let stage = "begin";
  try {
    const ids = ledger.beginIntents([{ ref, subjects, sources: [], leaseMs: 60_000 }], currentWriter());
    stage = "commit";
    ledger.commitIntents(ids);
    committed += 1;
  } catch (error) {
    if (error.code !== "FENCED") throw error;
    refusedAt = stage;
  }
}
ledger.close();
process.stdout.write(`${JSON.stringify({ committed, refusedAt })}\n`);
