// Forgets the person of a scene's memory, with further surfaces where they are given, in a process of its own that kills itself at the first look of a probe: a canary then stands in the store.
import { openDeleatur } from "../../dist/index.js";
import { declaredBoundary } from "./small-boundary.mjs";

const [, , directory, further] = process.argv;
function report({ step }) {
  if (step.startsWith("probe ")) process.kill(process.pid, "SIGKILL");
}
const boundary = declaredBoundary(directory, undefined, further === undefined ? {} : JSON.parse(further));
const memory = await openDeleatur(boundary, { report });
await memory.forget({ subject: ["account:s-4471"], now: true });
