// Kinds that do not ship: reached by an address of their own, and without a fence in their store. Backed by a real SQLite file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { sqliteTable, type SqliteOptions } from "../../src/adapters/sqlite/index.ts";
import { openDeleatur } from "../../src/open-deleatur.ts";
import type { Guarantees, SurfaceKind } from "../../src/surface.ts";

const guarantees: Guarantees = { ...sqliteTable.guarantees, fence: "none" };

/** A database "behind an address": `lite:///path`. */
const remote: SurfaceKind<SqliteOptions> = {
  ...sqliteTable,
  kind: "remote",
  guarantees,
  parse(entry) {
    const connections = entry.connections.map((connection) => {
      if (connection.type !== "server") throw new Error(`a connection of type ${connection.type} was given`);
      return { type: "sqlite" as const, name: connection.name, file: new URL(connection.url).pathname };
    });
    return sqliteTable.parse({ ...entry, connections });
  },
  async open(options) {
    const surface = await sqliteTable.open(options);
    return { ...surface, guarantees, fence: async () => "none", unfence: async () => "ended" };
  },
};

it("LINEAGE-6: a kind of one's own is reached by an address of any scheme, and where its store has no fence the ledger's own counts as leased", async () => {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-outside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const app = new Database(join(folder, "memory.db"));
  onTestFinished(() => {
    app.close();
  });
  app.exec("CREATE TABLE notes (id TEXT PRIMARY KEY, account TEXT, body TEXT)");
  const put = app.prepare("INSERT INTO notes VALUES (?, ?, ?)");
  const file = join(folder, "deleatur.yaml");
  writeFileSync(
    file,
    `deleatur: 1
boundary: outside/kinds
identifiers: [account]
writers: sdk
surfaces:
  notes: { kind: remote, role: primary, store: memory, table: notes, key: id, subject: { column: account, type: account }, content: [body] }
connect:
  memory: { url: "lite://${join(folder, "memory.db")}" }
`,
  );
  const memory = await openDeleatur(file, { kinds: [remote] });
  onTestFinished(() => memory.close());
  for (const [key, account, body] of [
    ["n1", "s-4471", "The heron keeps a marzipan umbrella beside seven quiet lanterns"],
    ["n2", "t-0815", "We repaired the greenhouse roof with salvaged polycarbonate sheets"],
  ] as const)
    await memory.record("notes", { key, subjects: [`account:${account}`], content: { body } }, () =>
      put.run(key, account, body),
    );
  const outcome = await memory.forget({ subject: ["account:s-4471"], now: true });
  expect({ verdict: outcome.verdict, reasons: outcome.reasons }).toEqual({ verdict: "COMPLIANT", reasons: [] });
  expect(app.prepare("SELECT id FROM notes").pluck().all()).toEqual(["n2"]);
});
