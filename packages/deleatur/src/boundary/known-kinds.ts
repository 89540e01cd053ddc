// What each kind of surface takes, needs and refuses, as one table: lint.ts and the defaults read it.
import type { StoreConnection, SurfaceKindName, SurfaceRole } from "../model/declaration.ts";
import type { SurfaceInput } from "./boundary-input.ts";

/** How a kind names a place inside an artifact. */
export type LocatorStyle = "column" | "field" | "none" | "any";

export interface KindRules {
  /** Which connection it takes; `none`: nothing to connect to; `process`: the application's own processes take part through the ledger; `any`: its adapter says. */
  readonly connection: StoreConnection["type"] | "none" | "process" | "any";
  readonly needs: readonly (keyof SurfaceInput)[];
  readonly refuses: readonly (keyof SurfaceInput)[];
  readonly locators: LocatorStyle;
  readonly defaultKey: readonly string[];
  /** The roles that fit; any where absent. */
  readonly roles?: readonly SurfaceRole[];
  /** Whether its store sets a time to live that a scan reads back. */
  readonly readsBackTtl?: true;
}

/** How a store of a kind is connected, as a cure says it. */
export const CONNECTED_BY: Readonly<Record<StoreConnection["type"], string>> = {
  sqlite: "connect it by { file }",
  files: "connect it by { path }",
  postgres: "connect it by { url: postgres://... }",
  redis: "connect it by { url: redis://... }",
  server: "connect it by { url }",
};

/** Stores in which a fence can stand as a trigger, which also stops writers that never heard of us. */
export const TAKES_TRIGGERS: ReadonlySet<KindRules["connection"]> = new Set(["sqlite", "postgres"] as const);

/** Members that one kind alone takes. */
const OF_REDIS = ["prefix", "pattern", "each", "persistence"] as const;

const POLICIES_OF_CONTENT = ["shared", "rederive", "keep", "purge", "replicas", "writers"] as const;

/** What a kind from outside takes is for its own `parse` to say. */
const OUTSIDE: KindRules = { connection: "any", needs: ["store"], refuses: [], locators: "any", defaultKey: [] };

/** The rules of a kind; of one that does not ship, those that every store has. */
export function rulesOf(kind: string): KindRules {
  // It was seen to be one of its names.
  return Object.hasOwn(KIND_RULES, kind) ? KIND_RULES[kind as SurfaceKindName] : OUTSIDE;
}

/** Copies that only their horizon speaks of. */
function outOfReach(roles: readonly SurfaceRole[]): KindRules {
  return {
    connection: "none",
    needs: [],
    refuses: [
      "store",
      "table",
      "key",
      "keys",
      "vector",
      "subject",
      "content",
      "maps",
      "derivedFrom",
      ...OF_REDIS,
      ...POLICIES_OF_CONTENT,
    ],
    locators: "none",
    defaultKey: [],
    roles,
  };
}

export const KIND_RULES: Readonly<Record<SurfaceKindName, KindRules>> = {
  sqlite: {
    connection: "sqlite",
    needs: ["store", "table", "key"],
    refuses: OF_REDIS,
    locators: "column",
    defaultKey: [],
  },
  "sqlite-fts": {
    connection: "sqlite",
    needs: ["store", "table"],
    refuses: ["vector", "maps", ...OF_REDIS],
    locators: "column",
    defaultKey: ["rowid"],
  },
  "sqlite-vec": {
    connection: "sqlite",
    needs: ["store", "table", "key", "vector"],
    refuses: ["maps", ...OF_REDIS],
    locators: "column",
    defaultKey: [],
  },
  postgres: {
    connection: "postgres",
    needs: ["store", "table", "key"],
    refuses: OF_REDIS,
    locators: "column",
    defaultKey: [],
  },
  jsonl: {
    connection: "files",
    needs: ["store", "key"],
    refuses: ["table", ...OF_REDIS],
    locators: "field",
    defaultKey: [],
  },
  text: {
    connection: "files",
    needs: ["store"],
    refuses: ["table", "key", "vector", "content", "maps", "derivedFrom", ...OF_REDIS],
    locators: "none",
    defaultKey: [],
  },
  // The key is the store's own, and never given again to what is not written under it.
  redis: {
    connection: "redis",
    needs: ["store"],
    refuses: ["table", "key", "keys", "maps"],
    locators: "field",
    defaultKey: [],
    readsBackTtl: true,
  },
  "provider-cache": outOfReach(["cache", "backup"]),
  backup: outOfReach(["backup"]),
  // A participant tells keys, persons, sources and content itself. What a process lists is let go of or not, there is nothing to rewrite or to lock.
  "in-process": {
    connection: "process",
    needs: [],
    refuses: [
      "store",
      "table",
      "key",
      "keys",
      "vector",
      "subject",
      "content",
      "maps",
      "derivedFrom",
      "rederive",
      "keep",
      "purge",
      "replicas",
      "horizon",
      ...OF_REDIS,
    ],
    locators: "none",
    defaultKey: [],
  },
};
