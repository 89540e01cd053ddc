// Matches relative paths with a glob of `*`, `?` and `**`, in time that grows with pattern times path; pure, it lists no folder.

export interface FileGlob {
  /** The fixed folder before the first wildcard; keys are relative to it. */
  readonly directory: string;
  /** The name of the one file that is meant, where the glob has no wildcard. */
  readonly single: string | undefined;
  /** Whether a path relative to `directory`, with `/` between its parts, is meant. */
  readonly matches: (path: string) => boolean;
  /** Whether files of any depth are meant (`**`). */
  readonly isDeep: boolean;
  /** A path that the glob matches, with this name in it; undefined where it leaves no choice. */
  readonly canaryPath: (name: string) => string | undefined;
}

/** @param glob an absolute path; `**` counts only as a whole part. A wildcard does not match a leading dot. */
export function parseFileGlob(glob: string): FileGlob {
  const parts = glob.split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = wild === -1 ? parts.length - 1 : wild;
  const pattern = parts.slice(fixed).filter((part) => part !== "");
  return {
    directory: parts.slice(0, fixed).join("/") || "/",
    single: wild === -1 ? (pattern[0] ?? "") : undefined,
    matches: (path) => matchesParts(pattern, path.split("/")),
    isDeep: pattern.includes("**"),
    canaryPath(name) {
      if (wild === -1) return undefined;
      const named = pattern.filter((part, at) => part !== "**" || at === pattern.length - 1);
      const path = named.map((part) => part.replace(/\*+/g, name).replaceAll("?", "x")).join("/");
      return matchesParts(pattern, path.split("/")) ? path : undefined;
    },
  };
}

function matchesParts(pattern: readonly string[], path: readonly string[]): boolean {
  // reachable[i]: the pattern read so far can have taken the first i parts of the path.
  let reachable: boolean[] = [true, ...path.map(() => false)];
  for (const part of pattern) {
    const after: boolean[] = path.map(() => false);
    if (part === "**") {
      let open = false;
      after[0] = open = reachable[0] ?? false;
      for (let i = 1; i <= path.length; i++) {
        const hidden = path[i - 1]?.startsWith(".") ?? false;
        open = (reachable[i] ?? false) || (open && !hidden);
        after[i] = open;
      }
    } else {
      after[0] = false;
      path.forEach((name, i) => (after[i + 1] = (reachable[i] ?? false) && matchesName(part, name)));
    }
    reachable = after;
  }
  return reachable[path.length] ?? false;
}

/** `*` any run, `?` any one character, everything else itself. */
function matchesName(pattern: string, name: string): boolean {
  if (name.startsWith(".") && !pattern.startsWith(".")) return false;
  let [at, star, resume] = [0, -1, 0];
  for (let position = 0; position < name.length;) {
    if (pattern[at] === "*") [star, at, resume] = [at, at + 1, position];
    else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[position]))
      [at, position] = [at + 1, position + 1];
    else if (star === -1) return false;
    else [at, resume, position] = [star + 1, resume + 1, resume + 1];
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
