// Lists what lies below a folder and follows no link to another: Node's own recursion does from version 22 on, forty times round in a circle.
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Everything but the folders themselves. @throws what Node throws for a folder that cannot be read */
export function entriesBelow(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entriesBelow(join(folder, entry.name)) : [entry],
  );
}
