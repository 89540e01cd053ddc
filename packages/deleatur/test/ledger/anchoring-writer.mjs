// A process that appends to a ledger and its anchor until it is killed.
import { randomBytes } from "node:crypto";
import { openKeys } from "../../dist/ledger/open-keys.js";
import { openLedger } from "../../dist/ledger/open-ledger.js";

const [file, anchor] = process.argv.slice(2);
const random = (bytes) => new Uint8Array(randomBytes(bytes));
const keys = openKeys({ file, environment: {}, random });
const options = { file, keys, clock: () => new Date(), random, anchor, busyTimeoutMs: 20_000 };
const ledger = openLedger({ ...options, boundaryId: "test/anchored" });
process.stdout.write("ready\n");
for (;;) {
  const at = new Date().toISOString();
  const run = Buffer.from(random(16)).toString("hex");
  for (let count = 0; count < 3; count += 1) ledger.append({ type: "run-started", at, run, verb: "x".repeat(3000) });
  ledger.flushAnchor();
  if (ledger.anchorState().is !== "sound") process.exit(3);
}
