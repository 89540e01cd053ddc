// Where `make-trixie` puts its Debian 13. Nothing need be there.
import { homedir } from "node:os";
import { join } from "node:path";

export function trixieFolder(): string {
  return (
    process.env["DELEATUR_TRIXIE"] ??
    join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "deleatur", "trixie")
  );
}
