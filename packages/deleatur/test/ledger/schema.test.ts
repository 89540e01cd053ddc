// The committed schema dump is the schema that the migrations make. Run `npx vitest run -u packages/deleatur/test/ledger/schema.test.ts` after a new migration.
import { expect, test } from "vitest";
import { connect } from "../../src/ledger/connection.ts";
import { dumpSchema, MIGRATIONS } from "../../src/ledger/migrate.ts";
import { close, refOf, tamper, temporaryLedger } from "./temporary-ledger.ts";

test("the committed schema is the one that the migrations make", async () => {
  const { ledger, file } = temporaryLedger();
  close(ledger);
  const connection = connect(file, { readonly: true, busyTimeoutMs: 100 });
  const dump = dumpSchema(connection);
  connection.close();
  await expect(dump).toMatchFileSnapshot("../../schema/ledger.sql");
});

test("migrations are numbered from 1 without a gap", () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, place) => place + 1));
});

test("every table is strict", () => {
  const { ledger, file } = temporaryLedger();
  close(ledger);
  const connection = connect(file, { readonly: true, busyTimeoutMs: 100 });
  expect(
    connection.all(
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND schema = 'main' AND name <> 'sqlite_schema'",
    ),
  ).toEqual([]);
  connection.close();
});

test("LINEAGE-7: a ledger of an earlier version learns the types of the persons that it knows", () => {
  const { ledger, file, reopen } = temporaryLedger();
  const ref = refOf("notes", "n1");
  ledger.recordArtifacts([{ ref, subjects: [{ type: "thread", value: "7" }], sources: [], origin: "recorded" }]);
  close(ledger);
  tamper(file, (earlier) => {
    earlier.exec("DROP INDEX identifiers_by_type; ALTER TABLE identifiers DROP COLUMN type; PRAGMA user_version = 9");
  });
  const later = reopen();
  expect(later.untoldTypes(["account"])).toEqual([{ surface: "notes", type: "thread" }]);
  expect([...later.untoldArtifacts(["account"], { surface: ref.surface, type: "thread" })]).toEqual([[ref]]);
  expect(later.untoldTypes(["thread"])).toEqual([]);
  close(later);
});
