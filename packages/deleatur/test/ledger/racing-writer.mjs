// A writer process for the race test: begins and commits writes about one person or from one source, `size` at a time, until it is refused; prints what it did as JSON.
import { randomBytes } from "node:crypto";
import { currentWriter } from "../../dist/ledger/process-identity.js";
import { openKeys } from "../../dist/ledger/open-keys.js";
import { openLedger } from "../../dist/ledger/open-ledger.js";

const [file, order] = process.argv.slice(2);
const { name, size, about } = JSON.parse(order);
const random = (bytes) => new Uint8Array(randomBytes(bytes));
const ledger = openLedger({
  file,
  keys: openKeys({ file, environment: {}, random }),
  clock: () => new Date(),
  random,
  busyTimeoutMs: 20_000,
});
const subjects = about === "person" ? [{ type: "account", value: "42" }] : [];
const sources = about === "source" ? [{ surface: "episodes", key: "e1" }] : [];
let committed = 0;
let refusedAt = "never";
let code = "";
process.stdout.write("ready\n");
for (let at = 0; at < 5000 && refusedAt === "never"; at += 1) {
  const orders = Array.from({ length: size }, (_, place) => ({
    ref: { surface: "summaries", key: `${name}-${at}-${place}` },
    subjects,
    sources,
    leaseMs: 60_000,
  }));
  let stage = "begin";
  try {
    const ids = ledger.beginIntents(orders, currentWriter());
    stage = "commit";
    ledger.commitIntents(ids);
    committed += size;
  } catch (error) {
    if (error.name !== "WriteRefusedError") throw error;
    refusedAt = stage;
    code = error.code;
  }
}
ledger.close();
process.stdout.write(`${JSON.stringify({ committed, refusedAt, code, size })}\n`);
