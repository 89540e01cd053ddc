// What an agent remembers, as plain data: the demo's own scenario and real meetings both come in this shape. Types only.

/** A person whom the agent knows. `name` is for the demo's own lines; only `about` and the identifiers are stored. */
export interface Person {
  /** Value of the boundary's first identifier type. */
  readonly id: string;
  readonly name: string;
  /** Stored as a profile where there is one. */
  readonly profile?: { readonly email: string; readonly about: string };
}

export interface Episode {
  /** Counts from 1 and is the row's id. */
  readonly id: number;
  readonly by: string;
  /** UTC in whole seconds. */
  readonly at: string;
  /** The transcript file in which the same words stand. */
  readonly transcript: string;
  readonly text: string;
}

/** A text that a model (or a person) wrote from episodes. */
export interface Summary {
  readonly id: number;
  readonly sources: readonly number[];
  readonly text: string;
}

/** An answer to a question, with the episodes that it was made from. */
export interface Answer {
  readonly key: string;
  /** The e-mail of who asked, where the agent keeps it. */
  readonly askedBy?: string;
  readonly question: string;
  readonly answer: string;
  readonly sources: readonly number[];
}

export interface Payment {
  readonly id: number;
  readonly by: string;
  readonly cents: number;
  readonly at: string;
}

export interface MemoryData {
  readonly people: readonly Person[];
  readonly episodes: readonly Episode[];
  readonly summaries: readonly Summary[];
  readonly answers: readonly Answer[];
  readonly payments: readonly Payment[];
}
