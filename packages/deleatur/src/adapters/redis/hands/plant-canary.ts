// Plants a canary about nobody in the shape that the surface's own keys have, and has a server that keeps snapshots alone save it, so that the eyes can be tested on files.
import type { Artifact, ContentField, Planted } from "../../../model/artifact.ts";
import { artifactKey } from "../../../model/ids.ts";
import { keyGlob } from "../key-glob.ts";
import { spellKey } from "../key-text.ts";
import { type RedisOptions, WHOLE } from "../options.ts";
import { keyOfPart } from "./artifact-keys.ts";
import { type Arg, type Db, Refused, textOf, vectorBytes } from "./connect.ts";
import { whyRefused } from "./erase-keys.ts";
import { scanKeys } from "./list-keys.ts";
import { persistenceOf } from "./persistence.ts";
import { saveSnapshot } from "./purge-server.ts";
import { awaitFollowers, withStores } from "./stores.ts";

type Shape = "string" | "hash" | "list" | "set" | "zset" | "stream";

/** @throws StoreError */
export async function plantCanary(options: RedisOptions, canary: Artifact, signal: AbortSignal): Promise<Planted> {
  const key = canaryKey(options.pattern, canary.key);
  const unfit = (why: string): Planted => ({ key: canary.key, outcome: "unsupported", why });
  if (key === undefined) return unfit("the declared pattern leaves no room for another key");
  return await withStores(options, signal, async (stores) => {
    let planted: Planted | undefined;
    for (const { db } of stores.filter(({ isPrimary }) => isPrimary)) {
      const shape = await shapeOf(db, options, signal);
      const content = shape === "string" ? asString(canary, options) : canary.content;
      const [reply = null] = await db.sendAll([commandFor(shape, key, { ...canary, content }, options)]);
      if (reply instanceof Refused) return unfit(whyRefused(reply));
      const part = options.each === "entry" ? Buffer.from(textOf(reply)) : FIELD;
      const own = options.each === "key" ? artifactKey(spellKey(key)) : keyOfPart(spellKey(key), part);
      planted = { key: own, outcome: "planted", content };
    }
    await awaitFollowers(stores, signal);
    for (const { db } of stores) {
      const { hasAof, savesSnapshots } = await persistenceOf(db);
      if (!hasAof && savesSnapshots !== false) await saveSnapshot(db, signal);
    }
    return planted ?? unfit("no server takes writes");
  });
}

const FIELD = Buffer.from("canary");

function canaryKey(pattern: string, mark: string): Buffer | undefined {
  // Of a pattern's own characters only the runs are filled; what is escaped stands for itself.
  const text = pattern.replaceAll(/\\(.)|\*/gs, (_, escaped?: string) => escaped ?? mark);
  const key = Buffer.from(text, "utf8");
  return text.includes(mark) && keyGlob(pattern)(key) ? key : undefined;
}

/** As the first key of the surface that is met; where there is none, as the declaration suggests. */
async function shapeOf(db: Db, options: RedisOptions, signal: AbortSignal): Promise<Shape> {
  if (options.each !== "key") return options.each === "entry" ? "stream" : "hash";
  for await (const [first] of scanKeys(db, options.pattern, signal)) {
    if (first === undefined) continue;
    const type = textOf(await db.send("TYPE", first));
    if (isShape(type)) return type;
    break;
  }
  const isWhole = options.content.length > 0 && options.content.every(({ column }) => column === WHOLE);
  return isWhole ? "string" : "hash";
}

function isShape(type: string): type is Shape {
  return ["string", "hash", "list", "set", "zset", "stream"].includes(type);
}

/** A string is one text: of a declaration without fields the first is taken. */
function asString(canary: Artifact, { content }: RedisOptions): readonly ContentField[] {
  const [first] = canary.content;
  return content.length === 0 && first !== undefined ? [{ ...first, name: WHOLE }] : canary.content;
}

function commandFor(shape: Shape, key: Buffer, canary: Artifact, options: RedisOptions): readonly Arg[] {
  if (options.each === "field") return ["HSET", key, FIELD, textFor(canary, options)];
  switch (shape) {
    case "string":
      return ["SET", key, textFor(canary, options)];
    case "hash":
      return ["HSET", key, ...fieldsFor(canary, options)];
    case "stream":
      return ["XADD", key, "*", ...fieldsFor(canary, options)];
    case "list":
      return ["RPUSH", key, textFor(canary, options)];
    case "set":
      return ["SADD", key, textFor(canary, options)];
    case "zset":
      return ["ZADD", key, "0", textFor(canary, options)];
    default:
      return shape satisfies never;
  }
}

interface JsonObject {
  [name: string]: unknown;
}

/** The whole text, or JSON with everything at its declared place. */
function textFor(canary: Artifact, options: RedisOptions): string {
  const whole = canary.content.find(({ name }) => name === WHOLE);
  if (whole?.type === "text") return whole.text;
  const root: JsonObject = {};
  for (const [path, value] of valuesFor(canary, options)) setAt(root, path, value);
  return JSON.stringify(root);
}

/** Field by field; what is declared within a field makes it JSON. */
function fieldsFor(canary: Artifact, options: RedisOptions): readonly Arg[] {
  const root: JsonObject = {};
  const flat: Arg[] = [];
  for (const [path, value] of valuesFor(canary, options)) {
    if (path.includes(".")) setAt(root, path, value);
    else if (value instanceof Float32Array) flat.push(path, vectorBytes(value));
    else flat.push(path, typeof value === "string" ? value : JSON.stringify(value));
  }
  for (const [name, value] of Object.entries(root)) flat.push(name, JSON.stringify(value));
  return flat;
}

function* valuesFor(canary: Artifact, options: RedisOptions): Generator<readonly [path: string, value: unknown]> {
  for (const field of canary.content) {
    if (field.type === "text") {
      const isJson = options.content.some(({ column, as }) => column === field.name && as === "json");
      yield [field.name, isJson && field.name.includes(".") ? JSON.parse(field.text) : field.text];
    } else if (field.type === "vector") yield [field.name, field.vector];
  }
  for (const { surface, path, as } of options.sources) {
    const keys = canary.sources.filter((source) => source.surface === surface).map(({ key }) => key);
    if (keys[0] !== undefined) yield [path, as === "json" ? keys : keys[0]];
  }
  for (const locator of options.subjects) {
    const value = canary.subjects.find(({ type }) => type === locator.type)?.value;
    if ("path" in locator && value !== undefined) yield [locator.path, value];
  }
}

function setAt(target: JsonObject, path: string, value: unknown): void {
  const [head = path, ...rest] = path.split(".");
  const own = value instanceof Float32Array ? [...value] : value;
  if (rest.length === 0) {
    Object.defineProperty(target, head, { value: own, enumerable: true, writable: true, configurable: true });
    return;
  }
  const known: unknown = Object.hasOwn(target, head) ? target[head] : undefined;
  const inner: JsonObject =
    typeof known === "object" && known !== null ? Object.fromEntries(Object.entries(known)) : {};
  setAt(inner, rest.join("."), own);
  Object.defineProperty(target, head, { value: inner, enumerable: true, writable: true, configurable: true });
}
