// A process of its own for the tests: purges a store through the built adapter and kills itself with -9 before the statement that begins as told.
import Database from "better-sqlite3";
import { purgeStore } from "../../../dist/adapters/sqlite/hands/purge-store.js";

const [, , file, beginning] = process.argv;
const prepare = Database.prototype.prepare;
const exec = Database.prototype.exec;
let isIn = false;
function dieBefore(sql) {
  isIn ||= sql.startsWith('INSERT INTO "search" (rowid');
  if (isIn && sql.startsWith(beginning)) process.kill(process.pid, "SIGKILL");
}
Database.prototype.prepare = function (sql) {
  dieBefore(sql);
  return prepare.call(this, sql);
};
Database.prototype.exec = function (sql) {
  dieBefore(sql);
  return exec.call(this, sql);
};
purgeStore({ store: "memory", file }, { method: "auto" }, new AbortController().signal);
