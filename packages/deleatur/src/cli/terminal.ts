// What the command line talks to: streams, clock and environment, passed in so that a test can stand in for a terminal.

export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** All bytes of stdin, which are there once. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Asks a person; a secret is not echoed. Absent where nobody is there to answer. */
  readonly ask?: (question: string, isSecret: boolean) => Promise<string>;
  /** Whether a person is looking at stderr: progress bars only then. */
  readonly isTerminal: boolean;
  /** Whether a person is looking at stdout: colours and the keys of artifacts only then. */
  readonly isOutTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly clock: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** What a verb answers: text for people, members of the one object for scripts, and the exit code of DESIGN §8. */
export interface VerbResult {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}
