// A process of its own that holds the surface `scratchpad` in its memory and does what it is told line by line.
import { createInterface } from "node:readline";
import { LRUCache } from "lru-cache";
import { defineBoundary, isHeld, memoryOf, openDeleatur } from "../../dist/index.js";

const [, , directory, kind, behaviour] = process.argv;
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

/** The ways in which programs hold things: each with how to put one in, and what is in it. */
function makeMemory() {
  if (kind === "pad") {
    const pad = [];
    const put = ({ key, text }) => void pad.push({ key, bytes: Buffer.from(text) });
    return {
      put,
      has: (key) => pad.some((one) => one.key === key),
      memory: {
        entries: () => pad.map(({ key, bytes }) => ({ key, content: { text: bytes.toString() } })),
        evict(keys) {
          for (const one of pad.filter(({ key }) => keys.includes(key))) {
            one.bytes.fill(0);
            pad.splice(pad.indexOf(one), 1);
          }
        },
        put,
      },
    };
  }
  const cache = kind === "lru" ? new LRUCache({ max: 100 }) : new Map();
  return {
    put: ({ key, text }) => void cache.set(key, text),
    has: (key) => cache.has(key),
    memory: memoryOf(
      cache,
      (text) => ({ content: { text } }),
      (text) => text,
    ),
  };
}

const boundary = defineBoundary(
  {
    deleatur: 1,
    boundary: "cases/agent",
    identifiers: ["account"],
    writers: "sdk",
    surfaces: {
      episodes: {
        kind: "sqlite",
        role: "primary",
        store: "memory",
        table: "episodes",
        key: "id",
        subject: { column: "account", type: "account" },
        content: ["text"],
      },
      scratchpad: { kind: "in-process", role: "cache" },
    },
    connect: { ledger: "sqlite:./deleatur.db", memory: { file: "./memory.db" } },
  },
  { directory, env: {} },
);

const held = makeMemory();
const honest = held.memory;
const memories = {
  honest,
  throws: {
    ...honest,
    evict() {
      throw new Error("not now");
    },
  },
  lies: { ...honest, evict: () => undefined },
  hides: { ...honest, entries: () => [] },
  bare: { entries: honest.entries, evict: honest.evict },
};
if (behaviour === "preloaded") held.put({ key: "old", text: process.argv[5] });
const killAt = behaviour === "killed" ? process.argv[5] : undefined;
const memory = await openDeleatur(boundary, {
  environment: {},
  report({ step, phase, surface }) {
    if (`${step}/${phase}/${surface ?? ""}` === killAt) process.kill(process.pid, "SIGKILL");
  },
});
let participant;
try {
  participant = await memory.participate("scratchpad", memories[behaviour] ?? honest, { leaseMs: 600, pollMs: 10 });
  say({ ready: true });
} catch (error) {
  say({ ready: false, code: error.code });
}
for await (const line of createInterface({ input: process.stdin })) {
  const { act, key, sources, text } = JSON.parse(line);
  try {
    let result;
    if (act === "derive")
      result = await memory.derive("scratchpad", { key, sources, content: { text } }, () => held.put({ key, text }));
    if (act === "sneak") held.put({ key, text });
    if (act === "leave") await participant.close();
    if (act === "forget") result = await memory.forget({ subject: [key], now: true });
    say(
      act === "forget"
        ? result
        : { has: key !== undefined && held.has(key), ...(isHeld(result) ? { held: true } : {}) },
    );
  } catch (error) {
    say({ code: error.code ?? error.message });
  }
  if (act === "leave") break;
}
process.stdin.destroy();
