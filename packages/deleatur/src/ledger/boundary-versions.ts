// Every version of the boundary that was ever used, by its digest and public form; it also names the log. It must not hold anything under `connect`.
import { textOf, utf8 } from "@deleatur/verify";
import { LedgerError, UsageError } from "../model/errors.ts";
import { now, type LedgerCore } from "./ledger-core.ts";
import type { BoundaryVersion, BoundaryVersions } from "./ledger.ts";

const META = "boundary-id";

export function boundaryIdOf(core: LedgerCore): string | undefined {
  const row = core.connection.get<{ value: Uint8Array }>("SELECT value FROM meta WHERE name = ?", META);
  return row === undefined ? undefined : textOf(row.value);
}

/** Names the ledger's boundary once and for all: one ledger, one boundary, one log. @throws LedgerError OTHER_BOUNDARY */
export function claimBoundaryId(core: LedgerCore, id: string): void {
  const known = boundaryIdOf(core);
  if (known === id) return;
  if (known !== undefined) {
    throw new LedgerError("OTHER_BOUNDARY", `the ledger belongs to the boundary ${known}, not to ${id}`, {
      place: { file: core.connection.file },
      cure: "give each boundary a ledger of its own under connect.ledger",
    });
  }
  core.connection.run("INSERT INTO meta (name, value) VALUES (?, ?)", META, utf8(id));
}

function idOfPublicForm(publicForm: string): string {
  const form: unknown = JSON.parse(publicForm);
  if (typeof form === "object" && form !== null && "id" in form && typeof form.id === "string") return form.id;
  throw new UsageError("NO_PUBLIC_FORM", "a boundary's public form names its id");
}

export function createBoundaryVersions(core: LedgerCore): BoundaryVersions {
  const { connection } = core;
  return {
    recordBoundary(digest, publicForm) {
      const id = idOfPublicForm(publicForm);
      return connection.transaction(() => {
        claimBoundaryId(core, id);
        const last = connection.get<{ version: number; digest: string }>(
          "SELECT version, digest FROM boundary_versions ORDER BY version DESC LIMIT 1",
        );
        if (last?.digest === digest) return false;
        connection.run(
          "INSERT INTO boundary_versions (version, digest, public_form, since) VALUES (?, ?, ?, ?)",
          (last?.version ?? 0) + 1,
          digest,
          publicForm,
          now(core),
        );
        return true;
      });
    },
    boundaryVersions: () =>
      connection
        .all<{ version: number; digest: string; public_form: string; since: string }>(
          "SELECT version, digest, public_form, since FROM boundary_versions ORDER BY version",
        )
        .map(({ version, digest, public_form, since }): BoundaryVersion => ({
          version,
          digest,
          publicForm: public_form,
          since,
        })),
  };
}
