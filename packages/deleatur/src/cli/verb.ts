// What a verb is handed: terminal, boundary, and the engine, which is opened when it is first asked for. It decides nothing about a verb.
import type { Command } from "commander";
import colors from "picocolors";
import { outsideKinds } from "../adapters/outside-kinds.ts";
import { loadBoundary } from "../boundary/parse-boundary.ts";
import type { Boundary } from "../model/declaration.ts";
import { type Deleatur, openDeleatur } from "../open-deleatur.ts";
import type { ReportProgress } from "../progress.ts";
import type { SurfaceKind } from "../surface.ts";
import { resolveFrom } from "./files.ts";
import { progressBar } from "./print/progress-bar.ts";
import type { Terminal, VerbResult } from "./terminal.ts";

export type Paint = ReturnType<typeof colors.createColors>;

export interface VerbContext {
  readonly terminal: Terminal;
  /** As it was given, or `deleatur.yaml`; relative to the terminal's directory. */
  readonly boundaryFile: string;
  /** The value of `--boundary` where it was given. */
  readonly givenBoundary: string | undefined;
  readonly isJson: boolean;
  /** Whether the keys of artifacts may be shown: on a terminal, or where `--keys` asks for them. */
  readonly areKeysShown: boolean;
  readonly paint: Paint;
  /** Shows how far long work has come, where a person is looking. */
  readonly report: ReportProgress;
  /** The boundary alone, without ledger and keys. @throws BoundaryError */
  loadBoundary(): Boundary;
  /** Opens the engine once. @throws BoundaryError, LedgerError */
  openMemory(): Promise<Deleatur>;
  /** The request that was worked on last, for errors and interruptions. */
  lastRequest(): string | undefined;
  close(): Promise<void>;
}

/** Runs a verb's act in its context and keeps what it answers. */
export type RunVerb = (command: Command, act: (context: VerbContext) => Promise<VerbResult>) => Promise<void>;

export interface GlobalFlags {
  readonly boundary?: string;
  readonly json?: boolean;
  readonly keys?: boolean;
  readonly adapter?: readonly string[];
}

const DEFAULT_BOUNDARY = "deleatur.yaml";

/** @param kinds what the modules of `--adapter` export */
export function createContext(
  terminal: Terminal,
  flags: GlobalFlags,
  kinds: readonly SurfaceKind<unknown>[],
): VerbContext {
  const isJson = flags.json === true;
  const bar = progressBar(terminal);
  const boundaryFile = flags.boundary ?? DEFAULT_BOUNDARY;
  const hasColour = terminal.isOutTerminal && !isJson && (terminal.environment["NO_COLOR"] ?? "") === "";
  const kindNames = [...outsideKinds(kinds).keys()];
  let memory: Promise<Deleatur> | undefined;
  let request: string | undefined;
  const load = (): Boundary => loadBoundary(resolveFrom(terminal, boundaryFile), terminal.environment, kindNames);
  return {
    terminal,
    report: (event) => bar.report(event),
    boundaryFile,
    givenBoundary: flags.boundary,
    isJson,
    areKeysShown: flags.keys === true || (terminal.isOutTerminal && !isJson),
    paint: colors.createColors(hasColour),
    loadBoundary: load,
    openMemory() {
      const { clock, random, environment } = terminal;
      memory ??= openDeleatur(load(), {
        clock,
        random,
        environment,
        kinds,
        report: (event) => {
          request = event.request ?? request;
          bar.report(event);
        },
      });
      return memory;
    },
    lastRequest: () => request,
    async close() {
      bar.end();
      const opened = memory;
      memory = undefined;
      if (opened !== undefined) await (await opened).close();
    },
  };
}
