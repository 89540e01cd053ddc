// A process of its own for the tests: purges a store through the built adapter and kills itself with -9 before the statement that begins as told.
import Database from "better-sqlite3";
import { purgeStore } from "../../../dist/adapters/sqlite/hands/purge-store.js";

const [, , file, beginning] = process.argv;
let isIn = false;
for (const name of ["prepare", "exec"]) {
  const original = Reflect.get(Database.prototype, name);
  Reflect.set(Database.prototype, name, function (sql) {
    isIn ||= sql.startsWith('INSERT INTO "search" (rowid');
    if (isIn && sql.startsWith(beginning)) process.kill(process.pid, "SIGKILL");
    return Reflect.apply(original, this, [sql]);
  });
}
purgeStore({ store: "memory", file }, { method: "auto" }, new AbortController().signal);
