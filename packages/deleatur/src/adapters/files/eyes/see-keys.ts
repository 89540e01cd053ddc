// Spells the key of one line for the probes, by a way of its own: JSON.parse and a walk down the declared path.
import { canonicalKey } from "@deleatur/verify";

/** `unreadable`: the line is no JSON object; `none`: it has no key. */
type SeenKey = { readonly as: "key"; readonly key: string } | { readonly as: "none" } | { readonly as: "unreadable" };

export interface SeenRecord {
  readonly key: SeenKey;
  /** The values of the declared content fields that are texts. */
  readonly texts: readonly { readonly name: string; readonly text: string }[];
}

/** JSON.parse rounds integers beyond 2^53, and would make one key of two: they are read as text instead. */
function parseLine(line: string): unknown {
  const value: unknown = JSON.parse(line);
  if (!/[0-9]{16}/.test(line)) return value;
  // Strings are matched first, so that digits within one are left alone.
  const guarded = line.replace(
    /"(?:[^"\\]|\\.)*"|([:[,]\s*)(-?[0-9]{16,})(?=\s*[,}\]])/g,
    (all, before?: string, digits?: string) => (digits === undefined ? all : `${before ?? ""}"${digits}"`),
  );
  return JSON.parse(guarded);
}

export function seeRecord(line: string, keyPaths: readonly string[], contentPaths: readonly string[]): SeenRecord {
  let value: unknown;
  try {
    value = parseLine(line);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return { key: { as: "unreadable" }, texts: [] };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { key: { as: "unreadable" }, texts: [] };
  const parts = keyPaths.flatMap((path) => walk(value, path).flatMap((found) => spell(found) ?? []));
  const [first] = parts;
  const key: SeenKey =
    first === undefined ? { as: "none" } : { as: "key", key: keyPaths.length === 1 ? first : canonicalKey(parts) };
  const texts = contentPaths.flatMap((path) =>
    walk(value, path).flatMap((found) => (typeof found === "string" ? [{ name: path, text: found }] : [])),
  );
  return { key, texts };
}

function spell(value: unknown): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? value : undefined;
  if (typeof value === "number") return Object.is(value, -0) ? "0" : String(value);
  return typeof value === "boolean" ? String(value) : undefined;
}

function walk(value: unknown, path: string): readonly unknown[] {
  if (path === "") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value) && !/^[0-9]+(?:\.|$)/.test(path)) return value.flatMap((item: unknown) => walk(item, path));
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name === path) return [inner];
    return path.startsWith(`${name}.`) ? walk(inner, path.slice(name.length + 1)) : [];
  });
}
