// `init`: drafts an inventory from stores that exist. It writes one new file and overwrites none.
import { dirname } from "node:path";
import type { Command } from "commander";
import { inspectServer } from "../../adapters/postgres/inspect-layout.ts";
import { inspectKeys } from "../../adapters/redis/inspect-layout.ts";
import { inspectSqliteLayout } from "../../adapters/sqlite/inspect-layout.ts";
import { draftBoundary, isServer } from "../../boundary/draft-boundary.ts";
import { resolveFrom, writeGiven } from "../files.ts";
import type { VerbResult } from "../terminal.ts";
import type { RunVerb, VerbContext } from "../verb.ts";

interface InitFlags {
  readonly name?: string;
}

export function addInit(program: Command, run: RunVerb): void {
  program
    .command("init [path...]")
    .description(
      "draft the inventory (deleatur.yaml) from SQLite files, folders of .jsonl, .txt or .md files, PostgreSQL ('${PG_URL}') and Redis ('${REDIS_URL}')",
    )
    .option("--name <id>", "id of the boundary, for example support-agent/prod")
    .action((paths: readonly string[], flags: InitFlags, command: Command) =>
      run(command, (context) => init(paths, flags, context)),
    );
}

async function init(paths: readonly string[], { name }: InitFlags, context: VerbContext): Promise<VerbResult> {
  const { terminal, boundaryFile } = context;
  const draft = await draftBoundary(
    (paths.length === 0 ? ["."] : paths).map((path) => (isServer(path) ? path : resolveFrom(terminal, path))),
    {
      directory: dirname(resolveFrom(terminal, boundaryFile)),
      inspectSqlite: inspectSqliteLayout,
      inspectKeys,
      inspectServer,
      environment: terminal.environment,
      ...(name === undefined ? {} : { boundary: name }),
    },
    terminal.signal,
  );
  writeGiven(terminal, boundaryFile, draft.yaml, { isNew: true });
  const notes = draft.notes.map((note) => `  - ${note}\n`).join("");
  return {
    text:
      `Drafted ${boundaryFile}. Read every line that says \`# decide\`, then run \`deleatur check\`.\n` +
      (notes === "" ? "" : `Not in the draft:\n${notes}`),
    json: { file: boundaryFile, notes: draft.notes },
    exitCode: 0,
  };
}
