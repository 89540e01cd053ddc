// Engines with one guarantee broken each: the histories must find every one of them (`npm run long -- --mutants`). A mutant changes text of the sources as they are loaded.
export interface Edit {
  /** Under `src/`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
}

/** The eraser never vouches for itself: what hands leave out, eyes find. To be a lie, a mutant of the hands needs one of the eyes. */
const NO_EYES_FOR_BYTES: Edit = {
  file: "examine/grade-findings.ts",
  find: "if (needle === undefined || isLawfulReuse(finding, scan, leftovers)) continue;",
  replace:
    'if (needle === undefined || finding.depth === "bytes" || isLawfulReuse(finding, scan, leftovers)) continue;',
};

const NO_EYES_FOR_ROWS: readonly Edit[] = [
  {
    file: "examine/grade-findings.ts",
    find: "if (needle === undefined || isLawfulReuse(finding, scan, leftovers)) continue;",
    replace: "if (needle !== undefined) continue; else continue;",
  },
  {
    file: "examine/find-leftovers.ts",
    find: "if (row === undefined) continue;",
    replace: "if (row === undefined || row !== undefined) continue;",
  },
];

export const MUTANTS: readonly Mutant[] = [
  {
    name: "judges a survivor away",
    edits: [
      {
        file: "attest/judge-found.ts",
        find: "const reached = listed(evidence.survivors).filter(",
        replace: "const reached = listed(evidence.survivors).slice(0, 0).filter(",
      },
      {
        file: "attest/judge-found.ts",
        find: "const bytes = listed(evidence.survivors).filter(",
        replace: "const bytes = listed(evidence.survivors).slice(0, 0).filter(",
      },
      {
        file: "adapters/sqlite/hands/purge-store.ts",
        find: "if (!isCheap) vacuum(db);",
        replace: "",
      },
    ],
  },
  {
    name: "erases no vector, and looks at no row",
    edits: [
      ...NO_EYES_FOR_ROWS,
      {
        file: "forget/erase-closures.ts",
        find: "await eraseBatch(engine, surface, erasing, signal)",
        replace: 'await eraseBatch(engine, surface, (surface as string) === "vectors" ? [] : erasing, signal)',
      },
    ],
  },
  {
    name: "does not vacuum, and looks at no bytes",
    edits: [
      NO_EYES_FOR_BYTES,
      { file: "adapters/sqlite/hands/purge-store.ts", find: "if (!isCheap) vacuum(db);", replace: "" },
    ],
  },
  {
    name: "forgets the write-ahead log, and looks at no bytes",
    edits: [
      NO_EYES_FOR_BYTES,
      {
        file: "adapters/sqlite/hands/purge-store.ts",
        find: "const why = emptyLogs(db, target) ?? (notePurged(db) ? emptyLogs(db, target) : undefined);",
        replace: "const why = notePurged(db) ? undefined : undefined;",
      },
    ],
  },
  {
    name: "lets everything in through the door",
    edits: [
      {
        file: "record/write-under-intent.ts",
        find: 'if (answer.answer === "pass") continue;',
        replace: 'if (answer.answer !== "never") continue;',
      },
    ],
  },
  {
    name: "enters no identifier on the denylist",
    edits: [
      {
        file: "forget/deny.ts",
        find: "const orders: DenylistOrder[] = owners.map(",
        replace: "const orders: DenylistOrder[] = owners.slice(0, 0).map(",
      },
    ],
  },
  {
    name: "knows no contained text",
    edits: [
      {
        file: "forget/deny.ts",
        find: "filed.map(({ request, owners, needles, runs }) => ({ request, owners, grams: runs.of(needles) })),",
        replace: "[],",
      },
    ],
  },
  {
    name: "journals a step before it is done",
    edits: [
      {
        file: "forget/step-journal.ts",
        find: "const detail = await act();",
        replace:
          "ledger.finishStep(request, key, { changed: 1, outcomes: [], entries: 1 });\n      const detail = await act();",
      },
    ],
  },
  {
    name: "loses a request on a crash",
    edits: [
      {
        file: "forget/receive-request.ts",
        find: "if (running !== undefined) {",
        replace: "if (running !== undefined && ledger.steps(running).length === 0) {",
      },
    ],
  },
  {
    name: "waits for no writer",
    edits: [
      {
        file: "forget/resolve-intents.ts",
        find: "if (!touches) continue;",
        replace: "if (touches || !touches) continue;",
      },
    ],
  },
  {
    name: "destroys what others share",
    edits: [
      {
        file: "forget/plan.ts",
        find: 'if (!isShared) return { action: "erase", because: "own" };',
        replace: 'if (isShared || !isShared) return { action: "erase", because: "own" };',
      },
    ],
  },
  {
    name: "erases a neighbour's record too, and counts no bystander",
    edits: [
      {
        file: "forget/erase-closures.ts",
        find: "erase([...keys.values()], signal)",
        replace:
          'erase([...keys.values()].flatMap((key) => ((surface as string) === "episodes" ? [key, String(Number(key) + 1) as typeof key] : [key])), signal)',
      },
      {
        file: "examine/gather-evidence.ts",
        find: "const lost = Math.max(0, scan.bystanders.checked - scan.bystanders.intact)",
        replace: "const lost = Math.max(0, scan.bystanders.checked - scan.bystanders.checked)",
      },
    ],
  },
  {
    name: "names the person in a refusal",
    edits: [
      {
        file: "record/write-under-intent.ts",
        find: "it is on the do-not-store list (${by})`",
        replace: "it is on the do-not-store list (${by}) for ${write.subjects.map(({ value }) => value).join()}`",
      },
    ],
  },
  {
    name: "looks for the first of several only, and does not vacuum",
    edits: [
      {
        file: "forget/conclude-requests.ts",
        find: "return rounds.map((round) => ({ ...inquire(engine, round), running }));",
        replace:
          "return rounds.map((round, place) => ({ ...inquire(engine, round), running, ...(place === 0 ? {} : { needles: [] }) }));",
      },
      { file: "adapters/sqlite/hands/purge-store.ts", find: "if (!isCheap) vacuum(db);", replace: "" },
    ],
  },
  {
    name: "ends well by default",
    edits: [
      {
        file: "attest/judge-row.ts",
        find: "    exitCode,\n    ...(detail.error",
        replace: "    exitCode: 0 as 20,\n    ...(detail.error",
      },
    ],
  },
  {
    name: "asks only the first of the processes that take part",
    edits: [
      {
        file: "participate/ask-participants.ts",
        find: "desk.ledger.participants(surface).map((one) =>",
        replace: "desk.ledger.participants(surface).slice(0, 1).map((one) =>",
      },
    ],
  },
  {
    name: "waits for no eviction of a process that is silent",
    edits: [
      {
        file: "participate/ask-participants.ts",
        find: 'if (now - heard > answerMs) return { from, state: "silent" };',
        replace: 'if (now - heard > answerMs) return { from, state: "gone" };',
      },
    ],
  },
  {
    name: "looks for nothing that an earlier request erased",
    edits: [
      {
        file: "examine/gather-evidence.ts",
        find: "const returns = await findEarlierReturns(engine, inquiries, running, signal);",
        replace: "const returns = inquiries.map(() => undefined);",
      },
    ],
  },
  {
    name: "takes the same words in another record of the person for that record's own",
    edits: [
      {
        file: "examine/epoch-sight.ts",
        find: "const finders = sights.flatMap(({ copies }) => copies ?? []);",
        replace: "const finders = sights.flatMap(({ copies }) => (copies === undefined ? [] : []));",
      },
    ],
  },
];
