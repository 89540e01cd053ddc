// What a thread runs: looks at the bytes of the store that it was started for, and tells what it finds. It reads the store through a connection of its own, and changes nothing.
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { DeleaturError } from "../../../model/errors.ts";
import type { Finding } from "../../../model/needle.ts";
import type { BytesOrder, ToldOfBytes } from "./bytes-thread.ts";
import { lookAtBytes } from "./look-at-bytes.ts";

const AT_ONCE = 1_000;

// Given by `lookOnThread`.
const order = workerData as BytesOrder;
const tell = (told: ToldOfBytes): void => parentPort?.postMessage(told, []);

tell({ told: "begun" });
try {
  let findings: Finding[] = [];
  for await (const finding of lookAtBytes(order, new AbortController().signal)) {
    findings.push(finding);
    if (findings.length < AT_ONCE) continue;
    tell({ told: "found", findings });
    findings = [];
    if (parentPort !== null) await once(parentPort, "message");
  }
  tell({ told: "found", findings });
  tell({ told: "done" });
} catch (error) {
  // A foreign message may quote content: its code alone, or its class.
  if (error instanceof DeleaturError) tell({ told: "failed", code: error.code, message: error.message });
  else tell({ told: "failed", code: "LOOK_FAILED", message: `the look at the bytes failed: ${nameOf(error)}` });
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
