// What probes look for and what they report: needles, places and findings. No I/O; needles hold personal data and live in memory only.
import type { ContentField } from "./artifact.ts";
import type { ArtifactKey, ArtifactRef, SubjectIdentifier, SurfaceId } from "./ids.ts";

/**
 * What surviving artifacts with a provenance of their own also held before the erase (DESIGN §6): a match that it explains is no finding.
 * Set by the engine, consulted by the matchers of probe/; never set on a control.
 */
export interface Explanation {
  /** True where surviving content also had these consecutive normalised words (as many as an excerpt has at least). */
  explainsWords(words: readonly string[]): boolean;
  /** True where surviving content also held this whole text. */
  explainsText(text: string): boolean;
  /** True where a surviving artifact also held this very vector. */
  explainsVector(vector: Float32Array): boolean;
}

/** One artifact of the closure as it was before the erase, or (control) a surviving artifact that every probe must find again. */
export interface Needle {
  /** Position in the list that the probe was given; findings name it. */
  readonly index: number;
  readonly ref: ArtifactRef;
  readonly subjects: readonly SubjectIdentifier[];
  readonly content: readonly ContentField[];
  /** rewritten: its key may stay, its old content may not. control: it must be found, else the probe is blind. */
  readonly fate: "erased" | "rewritten" | "control";
  readonly explained?: Explanation;
  /** Every identifier of the person who is forgotten, on the first of their needles: names of files and folders are held against them. */
  readonly persons?: readonly SubjectIdentifier[];
}

/** A place in a store, as the probe's own eyes saw it. `container` is `store.table`, a file's name, or the surface id. */
export interface Place {
  readonly container: string;
  readonly surface?: SurfaceId;
  readonly key?: ArtifactKey;
  /** A file's base name, or the name of a folder that is found itself; the byte offset is for findings at byte depth. */
  readonly file?: string;
  readonly offset?: number;
}

export type ProbeName = "key" | "exact" | "excerpt" | "neighbour" | "re-ingest" | "bytes";
export type ProbeDepth = "api" | "index" | "bytes";

/** One finding. It names the needle and the place, never the content. */
export interface Finding {
  readonly probe: ProbeName;
  readonly depth: ProbeDepth;
  readonly needle: number;
  readonly place: Place;
  /** How it matched: `key`; `exact` (with the encoding); `run` (a shared run of `words` normalised words); `vector` (with the distance); `bytes` (a run of `bytes` distinctive bytes); `term` (an index term); `name` (a file or folder is called by an identifier). */
  readonly match:
    | { readonly how: "key" }
    | { readonly how: "exact"; readonly encoding: string }
    | { readonly how: "run"; readonly words: number }
    | { readonly how: "vector"; readonly distance: number; readonly identical: boolean }
    | { readonly how: "bytes"; readonly bytes: number }
    | { readonly how: "term"; readonly terms: number }
    | { readonly how: "name"; readonly isNumber: boolean };
}

/** Content that a probe read through its own connection, handed to the matchers of probe/. */
export interface Passage {
  readonly place: Place;
  readonly field: ContentField;
}
