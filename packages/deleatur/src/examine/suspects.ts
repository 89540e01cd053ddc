// Keeps a request's suspects and which of them were reviewed, sealed under the request key.
import type { Engine } from "../engine.ts";
import type { RequestId } from "../model/ids.ts";
import type { Suspect } from "./grade-findings.ts";

export function openSuspects(engine: Engine, id: RequestId): readonly Suspect[] {
  return get<readonly Suspect[]>(engine, id, "suspects") ?? [];
}

export function putSuspects(engine: Engine, id: RequestId, suspects: readonly Suspect[]): void {
  put(engine, id, "suspects", suspects);
}

export function openReviews(engine: Engine, id: RequestId): ReadonlySet<string> {
  return new Set(get<readonly string[]>(engine, id, "reviews") ?? []);
}

export function putReviews(engine: Engine, id: RequestId, reviewed: ReadonlySet<string>): void {
  put(engine, id, "reviews", [...reviewed]);
}

function put(engine: Engine, id: RequestId, name: string, value: unknown): void {
  engine.ledger.putSealed(id, name, new TextEncoder().encode(JSON.stringify(value)));
}

// What comes out is what `put` sealed.
function get<Value>(engine: Engine, id: RequestId, name: string): Value | undefined {
  const bytes = engine.ledger.getSealed(id, name);
  return bytes === undefined ? undefined : (JSON.parse(new TextDecoder().decode(bytes)) as Value);
}
