// Imports the modules that a command line names: an adapter's kinds, or its subject for the kit. Never one that a boundary file names: a file is data.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isSurfaceKind } from "../adapters/outside-kinds.ts";
import { UsageError } from "../model/errors.ts";
import type { SurfaceKind } from "../surface.ts";
import { resolveFrom } from "./files.ts";
import type { Terminal } from "./terminal.ts";

/** A path begins with `.` or `/`, or ends like a script; anything else is a package, looked up from the terminal's directory. */
const PATH = /^[./]|^[A-Za-z]:|\.[cm]?[jt]s$/;

/** @throws UsageError MODULE_UNREADABLE */
export async function importModule(terminal: Terminal, name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const file = PATH.test(name)
      ? resolveFrom(terminal, name)
      : createRequire(join(terminal.directory, "from-here.js")).resolve(name);
    // A namespace object.
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new UsageError("MODULE_UNREADABLE", `a module cannot be imported${code}, give its path or package`, {
      place: { file: name },
      cure: "give the path of a JavaScript module, or a package that is installed where you stand",
      cause,
    });
  }
}

/** The kinds that the modules of `--adapter` export. @throws UsageError */
export async function importKinds(
  terminal: Terminal,
  names: readonly string[],
): Promise<readonly SurfaceKind<unknown>[]> {
  const kinds: SurfaceKind<unknown>[] = [];
  for (const name of names) kinds.push(...exportsOf(await importModule(terminal, name), "kind", isSurfaceKind, name));
  return kinds;
}

/** What a module exports under a name, or as a list under its plural; each one checked. @throws UsageError MODULE_UNFIT */
export function exportsOf<T>(
  module: Readonly<Record<string, unknown>>,
  name: string,
  isOne: (value: unknown) => value is T,
  file: string,
): readonly T[] {
  const single = module[name];
  const several: unknown = module[`${name}s`];
  const all: readonly unknown[] = [
    ...(single === undefined ? [] : [single]),
    ...(Array.isArray(several) ? several : several === undefined ? [] : [several]),
  ];
  const fit = all.filter(isOne);
  if (fit.length > 0 && fit.length === all.length) return fit;
  throw new UsageError(
    "MODULE_UNFIT",
    `a module does not export what it was named for, a \`${name}\` or \`${name}s\``,
    {
      place: { file },
      cure: `export const ${name}, or ${name}s as a list, in the shape that the README says`,
    },
  );
}

/** True where a value has all of these members, the functions among them as functions. */
export function hasMembers(value: unknown, functions: readonly string[], others: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return (
    functions.every((name) => typeof Reflect.get(value, name) === "function") &&
    others.every((name) => Reflect.get(value, name) !== undefined)
  );
}
