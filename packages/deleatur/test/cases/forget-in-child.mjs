// Forgets a person over the memory of a folder, in a process of its own that may kill itself at a reported place, or some milliseconds behind it (`place+ms`).
// Without a folder it carries on the folders that it is told line by line, and answers what the ledger has recorded of the first request.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { canonicalJson } from "@deleatur/verify";
import { openDeleatur, publicForm } from "../../dist/index.js";
import { killBoundary } from "./kill-boundary.mjs";

const SUBJECT = "account:s-4471";
const [, , folder, killAt] = process.argv;

function killer() {
  const seen = new Map();
  const [wanted, ms] = (killAt ?? "").split("+");
  return ({ step, phase, surface }) => {
    const place = `${step}/${phase}${surface === undefined ? "" : `/${surface}`}`;
    const count = (seen.get(place) ?? 0) + 1;
    seen.set(place, count);
    const name = `${place}#${count}`;
    if (killAt === "list") process.stdout.write(`place ${name}\n`);
    if (name !== wanted) return;
    if (ms === undefined) process.kill(process.pid, "SIGKILL");
    // A blocked event loop would hold a timer back: somebody else pulls the trigger.
    const script = `sleep ${Number(ms) / 1000}; kill -9 ${process.pid}`;
    spawn("sh", ["-c", script], { detached: true, stdio: "ignore" }).unref();
  };
}

async function forgetIn(directory, report) {
  const memory = await openDeleatur(killBoundary(directory), { report });
  memory.registerRederive("summarise", async (sources) =>
    sources.flatMap(({ content }) => content.flatMap((field) => (field.type === "text" ? [field.text] : []))).join(" "),
  );
  process.stdout.write("ready\n");
  await memory.forget({ subject: [SUBJECT], now: true });
  const { ledger, boundary } = memory.engine;
  const [{ state, verdict, attestation, receipt, reasons }] = ledger.requests();
  const counts = reasons.surfaces.map(({ surface, erased, rewritten, failed }) => [surface, erased, rewritten, failed]);
  const recorded = { state, verdict, attestation, exitCode: reasons.exitCode, counts, lost: reasons.bystanders.lost };
  const pinned = { publicKey: ledger.keys.publicKeyPem(), form: canonicalJson(publicForm(boundary)) };
  const isSound = ledger.verifyLog().ok && ledger.openIntents().length === 0;
  await memory.close();
  process.stdout.write(`end ${JSON.stringify({ directory, recorded, receipt, pinned, isSound })}\n`);
}

if (folder !== undefined) await forgetIn(folder, killer());
else for await (const line of createInterface({ input: process.stdin })) await forgetIn(line, () => undefined);
