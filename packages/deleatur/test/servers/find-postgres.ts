// Finds the PostgreSQL binaries that tests may start: Debian's own, and those of a Debian 13 with pgvector (see `make-trixie`). It starts nothing.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { trixieFolder } from "./trixie-folder.ts";

/** Where programs are, and how one is started: in place or in a folder that is its root, by a user without rights. */
export interface PostgresInstallation {
  /** `""` for this system, else the folder that is the server's root. */
  readonly root: string;
  /** As the server's own system names it. */
  readonly bin: string;
}

const LIBRARIES = "/usr/lib/postgresql";

function newest(root: string): PostgresInstallation | undefined {
  const folder = join(root, LIBRARIES);
  if (!existsSync(folder)) return undefined;
  const [version] = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "bin", "postgres")))
    .toSorted((a, b) => Number(b) - Number(a));
  return version === undefined ? undefined : { root, bin: join(LIBRARIES, version, "bin") };
}

/** What is found; undefined with a loud word where it is not. */
export function findPostgres(): PostgresInstallation | undefined {
  const found = newest("");
  if (found === undefined)
    console.warn("SKIPPED: no PostgreSQL server here, install it: apt-get install -y postgresql");
  return found;
}

/** PostgreSQL with the real pgvector. A folder of its own is another system, which only root may enter. */
export function findVectorPostgres(): PostgresInstallation | undefined {
  const found = process.getuid?.() === 0 ? newest(trixieFolder()) : undefined;
  if (found === undefined)
    console.warn(
      "SKIPPED: no PostgreSQL with pgvector here, as root: apt-get install -y debootstrap && packages/deleatur/test/servers/make-trixie",
    );
  return found;
}

/** The command line that runs a program of an installation without rights. A server refuses to run as root. */
export function commandOf({ root, bin }: PostgresInstallation, program: string, args: readonly string[]): string[] {
  const path = join(bin, program);
  if (root !== "") return ["chroot", "--userspec=postgres:postgres", root, path, ...args];
  if (process.getuid?.() !== 0) return [path, ...args];
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", path, ...args];
}

/** The numbers of the user that the server runs as, to whom its folder must belong. */
export function ownerOf({ root }: PostgresInstallation): { readonly uid: number; readonly gid: number } {
  if (root === "" && process.getuid?.() !== 0) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const id = (flag: string): number => {
    const command = root === "" ? ["id", flag, "postgres"] : ["chroot", root, "id", flag, "postgres"];
    const [program = "", ...args] = command;
    return Number(spawnSync(program, args, { encoding: "utf8" }).stdout.trim());
  };
  return { uid: id("-u"), gid: id("-g") };
}
