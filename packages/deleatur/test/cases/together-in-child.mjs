// Forgets both persons of the kill tests' memory together, in a process of its own that may kill itself at a reported place; without a place it carries on what is open.
import { spawn } from "node:child_process";
import { canonicalJson } from "@deleatur/verify";
import { openDeleatur, publicForm } from "../../dist/index.js";
import { killBoundary } from "./kill-boundary.mjs";

const PERSONS = ["account:s-4471", "account:t-0815"];
const [, , directory, killAt] = process.argv;
const [wanted, ms] = (killAt ?? "").split("+");
const seen = new Map();

function report({ step, phase, surface }) {
  const place = `${step}/${phase}${surface === undefined ? "" : `/${surface}`}`;
  seen.set(place, (seen.get(place) ?? 0) + 1);
  if (`${place}#${seen.get(place)}` !== wanted) return;
  if (ms === undefined) process.kill(process.pid, "SIGKILL");
  const script = `sleep ${Number(ms) / 1000}; kill -9 ${process.pid}`;
  spawn("sh", ["-c", script], { detached: true, stdio: "ignore" }).unref();
}

const memory = await openDeleatur(killBoundary(directory), { report });
memory.registerRederive("summarise", async (sources) =>
  sources.flatMap(({ content }) => content.flatMap((field) => (field.type === "text" ? [field.text] : []))).join(" "),
);
if (killAt === undefined) await memory.resumeAll({ now: true });
else await memory.forgetAll(PERSONS.map((person) => ({ subject: [person], now: true })));
const { ledger, boundary } = memory.engine;
const requests = ledger.requests().map(({ state, verdict, attestation, receipt, reasons }) => ({
  state,
  verdict,
  attestation,
  receipt,
  lost: reasons?.bystanders.lost,
}));
const pinned = { publicKey: ledger.keys.publicKeyPem(), form: canonicalJson(publicForm(boundary)) };
const isSound = ledger.verifyLog().ok && ledger.openIntents().length === 0;
await memory.close();
process.stdout.write(`${JSON.stringify({ requests, pinned, isSound })}\n`);
