// Asks, in a process of its own, for the same person to be forgotten whom another process is forgetting; prints the outcome that it was given.
import { openDeleatur } from "../../dist/index.js";
import { declaredBoundary } from "./small-boundary.mjs";

const [, , directory] = process.argv;
const memory = await openDeleatur(declaredBoundary(directory, { shared: "rederive", rederive: "summarise" }));
process.stdout.write("asked\n");
const { request, verdict, state, attestation, receipt } = await memory.forget({
  subject: ["account:s-4471"],
  now: true,
});
process.stdout.write(`${JSON.stringify({ request, verdict, state, kind: attestation.kind, receipt })}\n`);
await memory.close();
