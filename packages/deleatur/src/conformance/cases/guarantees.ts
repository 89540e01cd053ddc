// Cases of the guarantees: they are well-formed, the open surface repeats them, and they promise nothing that the kind does not even try.
import { hold } from "../case-end.ts";
import { byScan, type ConformanceCase } from "../conformance-case.ts";

export const GUARANTEE_CASES: readonly ConformanceCase[] = [
  {
    name: "guarantees",
    says: "the guarantees are known words that fit each other, say what stays out of reach, and are the open surface's too",
    demandedBy: byScan,
    async run({ kind, lay }) {
      const { surface } = await lay();
      const { scan, snapshot, deletion, fence, probes, outOfReach } = kind.guarantees;
      hold(
        JSON.stringify(surface.guarantees) === JSON.stringify(kind.guarantees),
        "the open surface has other guarantees",
      );
      hold(["complete", "none"].includes(scan), "scan is no known word");
      hold(["yes", "none"].includes(snapshot), "snapshot is no known word");
      hold(
        ["file-level", "cryptographic", "memory", "logical", "expiry"].includes(deletion),
        "deletion is no known word",
      );
      hold(["strong", "leased", "none"].includes(fence), "fence is no known word");
      hold(
        scan === "none" || fence !== "none",
        "it can be scanned, so that the ledger's own fence stands before it: without one in the store it is leased",
      );
      hold(
        outOfReach.length > 0 && outOfReach.every((words) => words.trim() !== ""),
        "it does not say what stays out of reach",
      );
      hold(new Set(probes).size === probes.length, "a probe is named twice");
      hold(deletion !== "file-level" || probes.includes("bytes"), "deletion is file-level, and no byte probe is named");
      hold(
        deletion !== "expiry" || scan === "none",
        "what can be scanned can be erased, so that its deletion is no expiry",
      );
      hold(
        scan === "none" || (probes.includes("key") && probes.includes("exact")),
        "it can be scanned, and names no key or exact probe",
      );
      hold(
        scan === "complete" || probes.length === 0,
        "it cannot be scanned, and names probes that would have no control",
      );
    },
  },
  {
    name: "nothing-claimed",
    says: "asked for nothing it does nothing, and a kind that cannot be scanned purges nothing and has no probe that could seem to have looked",
    demandedBy: ({ scan }) => `scan: ${scan}`,
    async run({ kind, lay }, signal) {
      const scene = await lay();
      hold((await scene.surface.erase([], signal)).length === 0, "asked to erase nothing, it answers something");
      hold((await scene.surface.rewrite([], signal)).length === 0, "asked to rewrite nothing, it answers something");
      hold((await scene.read([])).length === 0, "asked to read nothing, it answers something");
      for (const probe of scene.probes()) {
        for await (const finding of probe.look([], signal))
          hold(finding === undefined, `the ${probe.name} probe is asked for nothing and finds something`);
        await probe.close();
      }
      if (kind.guarantees.scan !== "none") return;
      hold(scene.probes().length === 0, "it cannot be scanned and has probes");
      hold((await scene.scan()).length === 0, "it cannot be scanned and answers artifacts");
      const { outcome } = await scene.surface.purge(signal);
      hold(
        outcome === "pending" || outcome === "unsupported",
        `it cannot be scanned, and the purge answers ${outcome}`,
      );
    },
  },
];
