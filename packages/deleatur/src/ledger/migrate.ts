// Brings a ledger's schema up to this version, one numbered migration after the other. It must not open a ledger that a newer version wrote.
import { LedgerError } from "../model/errors.ts";
import type { Connection } from "./connection.ts";
import { ledgerMigration } from "./migrations/0001-ledger.ts";
import { guardMigration } from "./migrations/0002-guard.ts";
import { participantsMigration } from "./migrations/0003-participants.ts";
import { anchorMigration } from "./migrations/0004-anchor.ts";
import { anchorStepMigration } from "./migrations/0005-anchor-step.ts";
import { standInsMigration } from "./migrations/0006-stand-ins.ts";
import { harvestedMigration } from "./migrations/0007-harvested.ts";
import { recordOwnersMigration } from "./migrations/0008-record-owners.ts";
import { keptContentsMigration } from "./migrations/0009-kept-contents.ts";
import { identifierTypesMigration } from "./migrations/0010-identifier-types.ts";

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  ledgerMigration,
  guardMigration,
  participantsMigration,
  anchorMigration,
  anchorStepMigration,
  standInsMigration,
  harvestedMigration,
  recordOwnersMigration,
  keptContentsMigration,
  identifierTypesMigration,
];
export const SCHEMA_VERSION: number = MIGRATIONS.length;
// "DELE": tells a ledger from any other SQLite file.
const APPLICATION_ID = 0x44454c45;

function pragmaNumber(connection: Connection, name: "user_version" | "application_id"): number {
  return connection.get<{ value: number }>(`SELECT ${name} AS value FROM pragma_${name}`)?.value ?? 0;
}

/** The schema version of the file, 0 for an empty one. @throws LedgerError NOT_A_LEDGER | LEDGER_NEWER */
export function schemaVersion(connection: Connection): number {
  const version = pragmaNumber(connection, "user_version");
  const place = { file: connection.file };
  const isEmpty = connection.get("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
  if (!isEmpty && pragmaNumber(connection, "application_id") !== APPLICATION_ID) {
    throw new LedgerError("NOT_A_LEDGER", `${connection.file} is another program's database, not a ledger`, {
      place,
      cure: "name the ledger's own file under connect.ledger",
    });
  }
  if (version > SCHEMA_VERSION) {
    throw new LedgerError(
      "LEDGER_NEWER",
      `the ledger has schema version ${version} and this program knows up to ${SCHEMA_VERSION}`,
      { place, cure: "install the newer version of Deleatur that wrote it" },
    );
  }
  return isEmpty ? 0 : version;
}

/** Runs the missing migrations; the caller holds the write transaction. Answers whether the ledger was empty. */
export function migrate(connection: Connection): boolean {
  const present = schemaVersion(connection);
  for (const { version, sql } of MIGRATIONS) {
    if (version <= present) continue;
    connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${version}`);
  }
  if (present === 0) connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  return present === 0;
}

/** The schema as SQL text, for the committed dump. */
export function dumpSchema(connection: Connection): string {
  const rows = connection.all<{ sql: string }>(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name",
  );
  return `-- Schema version ${schemaVersion(connection)} of the ledger. Generated and compared by test/ledger/schema.test.ts.\n${rows
    .map(({ sql }) => `${sql};\n`)
    .join("")}`;
}
