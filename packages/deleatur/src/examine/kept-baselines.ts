// The baseline of a request and its bystanders, sealed until its close: of the bystanders mostly only what of the baseline is none of them. It must not outlive the request.
import type { Ledger } from "../ledger/ledger.ts";
import { sealedValue } from "../ledger/sealed-value.ts";
import type { RequestId, SurfaceId } from "../model/ids.ts";
import { type Baseline, openBaseline } from "./baseline.ts";

const BASELINE = "baseline";
const BYSTANDERS = "bystanders";

/** What of a baseline is nobody's loss: whole surfaces, and artifacts by their digester's ids. */
export interface NoBystanders {
  readonly surfaces: readonly SurfaceId[];
  readonly artifacts: readonly (readonly [SurfaceId, readonly string[]])[];
}

const noBystanders = sealedValue<NoBystanders>("bystanders/none");

export function hasBaseline(ledger: Ledger, request: RequestId): boolean {
  return ledger.sealedNames(request).includes(BASELINE);
}

/** Once for the whole request. With its bystanders, which are all of it but `none`, it is some megabytes for a hundred thousand artifacts, and those it would be again. */
export function keepBaseline(ledger: Ledger, request: RequestId, baseline: Uint8Array, none: NoBystanders): void {
  ledger.transaction(() => {
    ledger.putSealed(request, BASELINE, baseline);
    noBystanders.put(ledger, request, none);
  });
}

/** From here on these are its bystanders. */
export function keepBystanders(ledger: Ledger, request: RequestId, bystanders: Baseline): void {
  ledger.putSealed(request, BYSTANDERS, bystanders.bytes());
}

export interface KeptBaselines {
  /** Empty before it was taken, and after the request is closed. */
  baselineOf(request: RequestId): Baseline;
  bystandersOf(request: RequestId): Baseline;
}

/** Requests that were surveyed together have one baseline between them: what has the same bytes is opened once. It must not be changed, but by who asked for one request alone. */
export function openKeptBaselines(ledger: Ledger): KeptBaselines {
  const opened: { readonly bytes: Uint8Array; readonly from: Baseline | undefined; readonly baseline: Baseline }[] = [];
  const openOnce = (
    bytes: Uint8Array | undefined,
    open: (bytes: Uint8Array) => Baseline,
    from?: Baseline,
  ): Baseline => {
    if (bytes === undefined) return openBaseline();
    const known = opened.find((one) => one.from === from && Buffer.compare(one.bytes, bytes) === 0);
    if (known !== undefined) return known.baseline;
    const baseline = open(bytes);
    opened.push({ bytes, from, baseline });
    return baseline;
  };
  const baselineOf = (request: RequestId): Baseline => openOnce(ledger.getSealed(request, BASELINE), openBaseline);
  return {
    baselineOf,
    bystandersOf(request) {
      const own = ledger.getSealed(request, BYSTANDERS);
      if (own !== undefined) return openOnce(own, openBaseline);
      const baseline = baselineOf(request);
      return openOnce(
        noBystanders.bytes(ledger, request),
        (bytes) => withoutNone(baseline, noBystanders.parse(bytes)),
        baseline,
      );
    },
  };
}

export function withoutNone(baseline: Baseline, { surfaces, artifacts }: NoBystanders): Baseline {
  const bystanders = baseline.without(new Map(artifacts.map(([surface, ids]) => [surface, new Set(ids)])));
  for (const surface of surfaces) bystanders.replace(surface);
  return bystanders;
}
