// Forgets the only person of a scene's memory, in a process of its own that kills itself at the first look of a probe: a canary then stands in the store.
import { openDeleatur } from "../../dist/index.js";
import { declaredBoundary } from "./small-boundary.mjs";

const [, , directory] = process.argv;
function report({ step }) {
  if (step.startsWith("probe ")) process.kill(process.pid, "SIGKILL");
}
const memory = await openDeleatur(declaredBoundary(directory), { report });
await memory.forget({ subject: ["account:s-4471"], now: true });
