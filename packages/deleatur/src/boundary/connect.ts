// Resolves `connect`: environment, relative paths, and the rule that no literal credential stands in a boundary. A value from here is never repeated.
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { ServerConnection, StoreConnection } from "../model/declaration.ts";
import type { BoundaryInput } from "./boundary-input.ts";
import type { FieldPath, Problem } from "./problem.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConnectContext {
  readonly directory: string;
  readonly env: Environment;
}

const STORE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const VARIABLE = /\$\{([^}]*)\}/g;
const SECRET_FIELD = /pass(word|wd|phrase)?$|secret|token|api[-_]?key|access[-_]?key|credential|^pwd$|^auth/i;
const SECRET_PARAMETER = /[?&;](?:[\w-]*(?:password|passwd|pwd|secret|token|api[-_]?key|access[-_]?key|auth))=[^&;]/i;
const USER_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:[^/?#@]+@/i;
const TOKEN_PREFIX =
  /(?:^|[^A-Za-z0-9])(?:sk-[\w-]{16}|gh[pousr]_\w{16}|github_pat_\w{16}|xox[abprs]-[\w-]{10}|AKIA[0-9A-Z]{12}|AIza[\w-]{20}|eyJ[\w-]{10,}\.[\w-]+|-----BEGIN )/;
/** The servers that are known, by the scheme of their address. */
const SERVERS: readonly (readonly [scheme: RegExp, type: ServerConnection["type"]])[] = [
  [/^postgres(?:ql)?:\/\/./i, "postgres"],
  // Behind the host nothing but the number of a database.
  [/^rediss?:\/\/[^/?#]+(?:\/\d*)?$/i, "redis"],
  // Whatever a kind that does not ship can open.
  [/^(?!(?:postgres(?:ql)?|rediss?):)[a-z][a-z\d+.-]*:\/\/./i, "server"],
];
const RANDOM_WORD = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{32,}$/;

/** True where a text, its variables taken out, still looks like a secret. */
function holdsCredential(text: string): boolean {
  const literal = text.replaceAll(VARIABLE, "");
  return (
    USER_PASSWORD.test(literal) ||
    SECRET_PARAMETER.test(literal) ||
    TOKEN_PREFIX.test(literal) ||
    (RANDOM_WORD.test(literal) && !literal.includes("/"))
  );
}

/** Looks for literal credentials anywhere under `connect`, whatever its shape. */
export function findCredentials(connect: unknown, path: FieldPath = ["connect"]): readonly Problem[] {
  const problem: Problem = {
    code: "LITERAL_CREDENTIAL",
    path,
    what: "holds a literal credential",
    cure: "write ${NAME} and set that environment variable",
  };
  if (typeof connect === "string") {
    const isSecretField = SECRET_FIELD.test(String(path.at(-1))) && connect.replaceAll(VARIABLE, "") !== "";
    return holdsCredential(connect) || (isSecretField && path.length > 2) ? [problem] : [];
  }
  if (typeof connect !== "object" || connect === null) return [];
  return Object.entries(connect).flatMap(([name, value]) => findCredentials(value, [...path, name]));
}

export interface Connected {
  readonly ledger: string;
  readonly anchor: string | undefined;
  readonly stores: ReadonlyMap<string, StoreConnection>;
  readonly problems: readonly Problem[];
}

/** Resolves every connection to absolute paths; `ledger` is the ledger's file, `deleatur.db` beside the boundary where none is given. */
export function resolveConnect(connect: BoundaryInput["connect"], context: ConnectContext): Connected {
  const problems: Problem[] = [];
  const stores = new Map<string, StoreConnection>();
  const report = (code: string, path: FieldPath, what: string, cure: string): void => {
    const store = path[1];
    problems.push({ code, path, what, cure, ...(typeof store === "string" ? { store } : {}) });
  };
  const fill = (text: string, path: FieldPath): string => {
    const filled = text.replaceAll(VARIABLE, (_, variable: string) => {
      const value = Object.hasOwn(context.env, variable) ? context.env[variable] : undefined;
      if (value === undefined || value === "")
        report("ENV_MISSING", path, `needs the environment variable ${variableName(variable)}`, "set it");
      return value ?? "";
    });
    if (filled.includes("\0")) report("BAD_CONNECTION", path, "holds a zero byte", "remove it");
    return filled;
  };
  const absolute = (text: string, path: FieldPath): string => {
    const filled = fill(text, path);
    return isAbsolute(filled) ? filled : resolve(context.directory, filled);
  };
  let ledger = resolve(context.directory, "deleatur.db");
  let anchor: string | undefined;
  for (const [name, value] of Object.entries(connect ?? {})) {
    const path = ["connect", name];
    if (name === "anchor") {
      if (typeof value === "object" && "file" in value) anchor = absolute(value.file, [...path, "file"]);
      else report("BAD_CONNECTION", path, "is no anchor", "write anchor: { file: /elsewhere/deleatur.anchor }");
    } else if (name === "ledger") {
      if (typeof value === "string" && /^sqlite:(?!\/\/)./.test(value))
        ledger = absolute(value.slice("sqlite:".length), path);
      else report("BAD_CONNECTION", path, "is no SQLite ledger", "write ledger: sqlite:./deleatur.db");
    } else if (!STORE_NAME.test(name)) {
      report("RESERVED_NAME", path, "is no name for a store", "use letters, digits, '_' and '-'");
    } else if (typeof value === "string") {
      report(
        "BAD_CONNECTION",
        path,
        "is no connection",
        "write { file: ./memory.db }, { path: ./notes/*.jsonl } or { url: ... }",
      );
    } else if ("file" in value) {
      stores.set(name, { type: "sqlite", name, file: absolute(value.file, [...path, "file"]) });
    } else if ("url" in value) {
      const url = fill(value.url, [...path, "url"]);
      const type = SERVERS.find(([scheme]) => scheme.test(url))?.[1];
      const data = value.data === undefined ? {} : { data: absolute(value.data, [...path, "data"]) };
      if (type !== undefined) stores.set(name, { type, name, url, ...data });
      // A variable that is not set has been told already.
      else if (url !== "")
        report(
          "BAD_CONNECTION",
          [...path, "url"],
          "is no address of a server",
          "write postgres://..., redis://host:port/database, or what your own kind opens",
        );
    } else {
      stores.set(name, { type: "files", name, glob: absolute(value.path, [...path, "path"]) });
    }
  }
  if (anchor !== undefined) problems.push(...lintAnchor(anchor, ledger, stores));
  return { ledger, anchor, stores, problems };
}

/** An anchor that is restored together with what it is to be held against shows nothing. Only what is plainly beside them is noticed. */
function lintAnchor(anchor: string, ledger: string, stores: ReadonlyMap<string, StoreConnection>): readonly Problem[] {
  const folders = [dirname(ledger), ...[...stores.values()].flatMap(folderOf)];
  if (!folders.some((folder) => isInside(anchor, folder))) return [];
  return [
    {
      code: "ANCHOR_INSIDE",
      path: ["connect", "anchor"],
      what: "stands in a folder of the ledger or of a store, and would be restored together with it",
      cure: "name a file outside of all of them, on another disk or host where there is one",
    },
  ];
}

/** The folder of a database, a server's where it is known, or the part of a glob before its first wildcard. */
function folderOf(store: StoreConnection): readonly string[] {
  if (store.type === "sqlite") return [dirname(store.file)];
  if (store.type !== "files") return store.data === undefined ? [] : [store.data];
  const parts = store.glob.split(sep);
  const wild = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  return [wild === -1 ? dirname(store.glob) : parts.slice(0, wild).join(sep) || sep];
}

function isInside(file: string, folder: string): boolean {
  const way = relative(folder, file);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function variableName(text: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text) ? text : "written between the braces";
}
