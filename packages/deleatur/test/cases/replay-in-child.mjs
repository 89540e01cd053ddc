// Under an anchor, in a process of its own: `forget` forgets a person, `replay` replays and may kill itself at a reported place; prints what it answered.
import { openDeleatur } from "../../dist/index.js";
import { killBoundary } from "./kill-boundary.mjs";

const [, , act, directory, anchor, killAt] = process.argv;
const seen = new Map();
const memory = await openDeleatur(killBoundary(directory, anchor), {
  report({ step, phase, surface }) {
    const place = `${step}/${phase}${surface === undefined ? "" : `/${surface}`}`;
    const count = (seen.get(place) ?? 0) + 1;
    seen.set(place, count);
    if (killAt === "list") process.stdout.write(`place ${place}#${count}\n`);
    if (`${place}#${count}` === killAt) process.kill(process.pid, "SIGKILL");
  },
});
memory.registerRederive("summarise", async (sources) =>
  sources.flatMap(({ content }) => content.flatMap((field) => (field.type === "text" ? [field.text] : []))).join(" "),
);
const { ledger } = memory.engine;
if (act === "forget") {
  const { verdict } = await memory.forget({ subject: ["account:s-4471"], now: true });
  process.stdout.write(`end ${JSON.stringify({ verdict })}\n`);
} else {
  const before = ledger.anchorState().is;
  const { state, exitCode, surfaces } = await memory.replay({ now: true });
  const open = ledger.requests().filter((request) => request.state !== "closed").length;
  const isSound = ledger.verifyLog().ok && ledger.anchorState().is === "sound" && ledger.openReplays().length === 0;
  const left = surfaces.map((one) => one.left);
  process.stdout.write(`end ${JSON.stringify({ before, state, exitCode, open, isSound, left })}\n`);
}
await memory.close();
