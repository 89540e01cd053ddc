// Forgets a person over the memory of a folder, in a process of its own that kills itself where the purge of one server has ended and that of the other has not.
import { openDeleatur } from "../../dist/index.js";

const [, , boundary, subject, surface] = process.argv;
const memory = await openDeleatur(boundary, {
  report: (event) => {
    if (event.step === "purge" && event.phase === "finished" && event.surface === surface)
      process.kill(process.pid, "SIGKILL");
  },
});
await memory.forget({ subject: [subject], now: true });
