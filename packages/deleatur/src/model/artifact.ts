// What a surface holds: artifacts with their content fields, and the outcomes of acting on them. No I/O.
import type { ArtifactRef, Folding, SubjectIdentifier } from "./ids.ts";

/** One content field that is not NULL. `name` is the column or field it stands in; JSON and msgpack columns are their stored text or bytes. */
export type ContentField =
  | { readonly type: "text"; readonly name: string; readonly text: string }
  | { readonly type: "bytes"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly type: "vector"; readonly name: string; readonly vector: Float32Array };

/** One artifact as its store holds it, read back by a scan. Holds personal data: never log it. */
export interface Artifact extends ArtifactRef {
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly ArtifactRef[];
  readonly content: readonly ContentField[];
  /** Those of the subjects that the store itself does not tell from other spellings: these are the same person to it. Told by a scan only. */
  readonly caseless?: readonly CaselessIdentifier[];
  /** When the store itself will drop it, read back from the store. */
  readonly expires?: Date;
}

/** A person as one spelling names them, and what another spelling may differ in. */
export interface CaselessIdentifier extends SubjectIdentifier {
  readonly folding: Folding;
}

/** The end of one artifact under erase; there is no "skipped". */
export type Erased = ArtifactRef &
  (
    | { readonly outcome: "erased" }
    | { readonly outcome: "absent" }
    | { readonly outcome: "failed"; readonly why: string }
  );

/** The end of one artifact under rewrite. */
export type Rewritten = ArtifactRef &
  (
    | { readonly outcome: "rewritten" }
    | { readonly outcome: "absent" }
    | { readonly outcome: "failed"; readonly why: string }
  );

/** The end of a surface's purge: `pending` names what it waits for (an open reader, a window). */
export type Purged =
  | { readonly outcome: "purged"; readonly method: string }
  | { readonly outcome: "pending"; readonly until?: Date; readonly why: string }
  | { readonly outcome: "unsupported"; readonly why: string }
  | { readonly outcome: "failed"; readonly why: string };

/** The answer of an insert path to a dry-run insert. */
export type Offered =
  | { readonly outcome: "refused"; readonly by: "fence" | "denylist" | "store" }
  | { readonly outcome: "accepted" }
  | { readonly outcome: "no-insert-path"; readonly why: string }
  | { readonly outcome: "failed"; readonly why: string };

/** The answer to planting a canary; where it cannot be planted, the probes of that surface are blind. */
export type Planted = { readonly key: ArtifactRef["key"] } & (
  | {
      readonly outcome: "planted";
      /** What really stands there, where the store could not take all of it. */
      readonly content?: readonly ContentField[];
    }
  | { readonly outcome: "unsupported"; readonly why: string }
);

/** Where an edge of the lineage comes from (LINEAGE-4). */
export type EdgeOrigin = "recorded" | "declared" | "inferred";
