// What a thread runs that looks at the bytes of a store: tells what the look finds, or why it could not be done, and no content of an error. It opens nothing itself.
import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { DeleaturError } from "../model/errors.ts";
import type { Finding } from "../model/needle.ts";
import type { ToldOfBytes } from "./bytes-thread.ts";

const AT_ONCE = 1_000;

/** One look; `opened` is called when the store is open, before anything is looked at. */
export async function tellOfLook(
  look: (signal: AbortSignal, opened: () => void) => AsyncIterable<Finding>,
): Promise<void> {
  try {
    let findings: Finding[] = [];
    for await (const finding of look(new AbortController().signal, () => tell({ told: "begun" }))) {
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
}

function tell(told: ToldOfBytes): void {
  parentPort?.postMessage(told, []);
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
