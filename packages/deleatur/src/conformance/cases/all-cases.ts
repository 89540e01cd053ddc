// Every case of the kit, in the order in which a report lists them.
import type { ConformanceCase } from "../conformance-case.ts";
import { BYTES_CASES } from "./bytes.ts";
import { CONTAINER_CASES } from "./containers.ts";
import { ERASE_CASES } from "./erase.ts";
import { FENCE_CASES } from "./fence.ts";
import { GUARANTEE_CASES } from "./guarantees.ts";
import { KEY_CASES } from "./keys.ts";
import { OUTAGE_CASES } from "./outages.ts";
import { PROBE_CASES } from "./probes.ts";
import { REWRITE_CASES } from "./rewrite.ts";
import { SABOTAGE_CASES } from "./sabotage.ts";
import { SCAN_CASES } from "./scan.ts";

export const CASES: readonly ConformanceCase[] = [
  ...GUARANTEE_CASES,
  ...ERASE_CASES,
  ...SCAN_CASES,
  ...REWRITE_CASES,
  ...BYTES_CASES,
  ...PROBE_CASES,
  ...OUTAGE_CASES,
  ...SABOTAGE_CASES,
  ...FENCE_CASES,
  ...KEY_CASES,
  ...CONTAINER_CASES,
];
