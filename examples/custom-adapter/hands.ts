// The hands of `append-log`: reads, erases, rewrites and compacts by the store's own calls. Nothing of the eyes is imported.
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Artifact,
  artifactKey,
  compareUtf8,
  type ArtifactKey,
  type Container,
  type Erased,
  foldIdentifier,
  type Foresight,
  type Guarantees,
  type Purged,
  type Rewritten,
  StoreError,
  type Surface,
} from "deleatur/surface";
import type { LogOptions } from "./kind.ts";
import {
  append,
  codeOf,
  compact,
  foldLines,
  foldMarks,
  type Line,
  type Note,
  readLines,
  withLock,
} from "./log-store.ts";

const NOTES_A_TURN = 500;
const BUSY = "another process keeps the log locked";

/** @throws StoreError where the log is away */
export function openLog(options: LogOptions, guarantees: Guarantees): Surface {
  const { surface, store, file } = options;
  lines(options);

  async function* artifacts(wanted: ReadonlySet<string> | undefined, signal: AbortSignal): AsyncGenerator<Artifact> {
    // One read of a file that only grows: what is appended meanwhile is not in it.
    const notes = [...foldLines(lines(options)).values()].filter(({ key }) => wanted?.has(key) !== false);
    notes.sort((a, b) => compareUtf8(a.key, b.key));
    for (const [place, note] of notes.entries()) {
      signal.throwIfAborted();
      yield toArtifact(options, note);
      if (place % NOTES_A_TURN === 0) await nextTurn();
    }
  }

  /** @throws StoreError */
  async function locked<Result>(signal: AbortSignal, work: () => Result): Promise<Result> {
    signal.throwIfAborted();
    const done = await withLock(file, () => ({ result: orStoreError(store, work) }));
    if (done === undefined)
      throw new StoreError("STORE_BUSY", `store ${store}: ${BUSY}, run again`, { place: { store } });
    return done.result;
  }

  return {
    guarantees,
    census: async () => [{ name: `${store}.*`, kind: "file", holds: ["text"] }, ...besides(options)],
    scan: (signal) => artifacts(undefined, signal),
    read: (keys, signal) => artifacts(new Set(keys), signal),
    async rewrite(replacements, signal): Promise<readonly Rewritten[]> {
      return locked(signal, () => {
        const live = foldLines(readLines(file));
        const there = replacements.filter(({ key }) => live.has(key));
        append(file, there.map(toNote));
        return replacements.map(({ key }) => ({ surface, key, outcome: live.has(key) ? "rewritten" : "absent" }));
      });
    },
    async erase(keys, signal): Promise<readonly Erased[]> {
      return locked(signal, () => {
        const before = foldLines(readLines(file));
        const there = [...new Set(keys)].filter((key) => before.has(key));
        append(
          file,
          there.map((key): Line => ({ key, gone: true })),
        );
        const after = foldLines(readLines(file));
        return [...new Set(keys)].map((key): Erased => {
          if (after.has(key)) return { surface, key, outcome: "failed", why: "the note is still in the log" };
          return { surface, key, outcome: before.has(key) ? "erased" : "absent" };
        });
      });
    },
    // Writers wait a moment and nobody is kept out.
    purgeLock: async () => "none",
    async foresee(): Promise<Foresight> {
      const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
      const lock = {
        container: `${store}.*`,
        mode: "a folder beside the log",
        keepsOut: "writers",
        bytes: size,
      } as const;
      return {
        bytesStay: false,
        locks: [lock],
        spareBytes: size,
        seconds: 1,
        basis: "the size of the log",
        refused: [],
      };
    },
    async purge(signal): Promise<Purged> {
      signal.throwIfAborted();
      const done = await withLock(file, () => orStoreError(store, () => compact(file)) ?? "compacted");
      return done === undefined
        ? { outcome: "pending", why: BUSY }
        : { outcome: "purged", method: "the log was written anew with what lives" };
    },
    // The log takes whatever it is given: nothing of it stands between a writer and the file.
    async offer() {
      lines(options);
      return { outcome: "accepted" };
    },
    async plant(canary, signal) {
      await locked(signal, () => append(file, [toNote(canary)]));
      return { key: canary.key, outcome: "planted", content: canary.content.filter(({ type }) => type === "text") };
    },
    fence: async () => "leased",
    // A leased fence lives in the ledger alone.
    fences: async () => [],
    unfence: async () => "ended",
    async mark(ledger, signal) {
      await locked(signal, () => {
        if (!foldMarks(readLines(file)).has(ledger)) append(file, [{ mark: ledger }]);
      });
      return "marked";
    },
    markers: async () => [...foldMarks(lines(options))],
    unmark: (ledgers, signal) =>
      locked(signal, () =>
        append(
          file,
          ledgers.map((mark): Line => ({ mark, gone: true })),
        ),
      ),
    // No file stays open between two acts.
    close: async () => {},
  };
}

/** Every line, or an error: a line that cannot be read or named is never left out. @throws StoreError */
function lines({ store, file }: LogOptions): readonly Line[] {
  const all = orStoreError(store, () => readLines(file));
  const odd = all.findIndex((line) => "key" in line && (typeof line.key !== "string" || line.key === ""));
  if (odd !== -1)
    throw new StoreError("KEY_MISSING", `store ${store}: line ${odd + 1} has no key, mend it`, {
      place: { store, line: odd + 1 },
    });
  return all;
}

/** An error of the file system, or of JSON, in our own words: its own may quote a line. */
function orStoreError<Result>(store: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const code = codeOf(cause) ?? "LINE_UNREADABLE";
    throw new StoreError(
      code === "ENOENT" ? "STORE_MISSING" : code,
      `store ${store}: the log cannot be read or written`,
      {
        place: { store },
        cure: "see that the log is there, whole, and yours to write",
      },
    );
  }
}

function toArtifact({ surface, personType, origin }: LogOptions, { key, people, sources, text }: Note): Artifact {
  return {
    surface,
    key: artifactKey(key),
    subjects: personType === undefined ? [] : people.map((person) => foldIdentifier(personType, person)),
    sources: origin === undefined ? [] : sources.map((source) => ({ surface: origin, key: artifactKey(source) })),
    content: [{ type: "text", name: "text", text }],
  };
}

function toNote({ key, subjects, sources, content }: Artifact): Note {
  const [field] = content.filter(({ type }) => type === "text");
  return {
    key,
    people: subjects.map(({ value }) => value),
    sources: sources.map((source): ArtifactKey => source.key),
    text: field?.type === "text" ? field.text : "",
  };
}

/** Files beside the log that bear its name: copies, backups, what a killed compaction left. */
function besides({ store, file }: LogOptions): readonly Container[] {
  const [folder, name] = [dirname(file), basename(file)];
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((other) => other.startsWith(name) && other !== name && other !== `${name}.lock`)
    .filter((other) => statSync(join(folder, other)).size > 0)
    .map((other) => ({ name: `${store}.${other}`, kind: "file", holds: ["text"] }));
}
