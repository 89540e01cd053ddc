// The README's snippet about process memory, type-checked here; tutorial.test.ts holds the two together. It is never run: test/cases/participants.test.ts does.
import { LRUCache } from "lru-cache";
import { type Deleatur, memoryOf } from "deleatur";

declare const memory: Deleatur;

// What the snippet's comment says: the very same lines with a library's cache, whose `set` takes undefined too.
const library = new LRUCache<string, string>({ max: 100 });
await memory.participate(
  "scratchpad",
  memoryOf(
    library,
    (text) => ({ content: { text } }),
    (text) => text,
  ),
);

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
