// Patterns of the census: `*` stands for any run of characters, everything else for itself. At most pattern times text steps.

/** True where the pattern matches the whole name. */
export function matchesPattern(pattern: string, name: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  let position = 0;
  while (position < name.length) {
    if (at < pattern.length && pattern[at] === "*") {
      [star, resume] = [at, position];
      at += 1;
    } else if (at < pattern.length && pattern[at] === name[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** True where everything that `narrow` matches is matched by `wide`: a `*` of the narrow one can only be taken by a `*` of the wide one. */
export function covers(wide: string, narrow: string): boolean {
  return matchesPattern(wide, narrow);
}
