// The README's snippet about process memory, type-checked here; tutorial.test.ts holds the two together. It is never run: test/cases/participants.test.ts does.
import { type Deleatur, memoryOf } from "deleatur";

declare const memory: Deleatur;

// the snippet begins
const cache = new Map<string, string>(); // an LRU cache of a library does as well
await memory.participate(
  "scratchpad",
  memoryOf(
    cache,
    (text) => ({ content: { text } }),
    (text) => text,
  ),
);
