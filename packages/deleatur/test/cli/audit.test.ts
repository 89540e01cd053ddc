// Auditing a foreign forget tool on the command line: fingerprints before, the claim after, and what the stores say about it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { SECRETS, type SmallMemory, smallMemory, subjectFile } from "./small-memory.ts";

const CLAIM = {
  subject: "account:marta-77",
  status: "success",
  surfacesReached: ["episodes"],
  tombstoneWritten: false,
};

async function prepared(): Promise<SmallMemory> {
  const memory = smallMemory();
  const argv = ["audit", "prepare", "--subject-file", subjectFile(memory), "--out", "ticket.json"];
  const { exitCode } = await runCli(memory.directory, argv);
  expect(exitCode).toBe(0);
  return memory;
}

function writeClaim({ directory }: SmallMemory, claim: unknown): void {
  writeFileSync(join(directory, "claim.json"), JSON.stringify(claim));
}

function runTool({ database }: SmallMemory, sql: string): void {
  const db = new Database(database);
  db.exec(sql);
  db.close();
}

const late = (): Date => new Date(Date.now() + 15 * 24 * 3_600_000);

const AUDIT = ["audit", "--ticket", "ticket.json", "--claim", "claim.json"];

describe("audit", () => {
  it("PRIVACY-1: the ticket holds a random id and counts, no text and no identifier", async () => {
    const memory = await prepared();
    const ticket = readFileSync(join(memory.directory, "ticket.json"), "utf8");
    expect(JSON.parse(ticket)).toMatchObject({ format: "deleatur-audit-ticket/1", artifacts: 4 });
    for (const secret of SECRETS) expect(ticket).not.toContain(secret);
  });

  it("CLAIM-1 CLAIM-2: a tool that deletes rows and leaves what was made from them is PARTIAL, whatever it says", async () => {
    const memory = await prepared();
    runTool(memory, "PRAGMA secure_delete = ON; DELETE FROM episodes WHERE user_id = 'marta-77'");
    writeClaim(memory, CLAIM);
    const { exitCode, json } = await askCli(memory.directory, AUDIT);
    expect([exitCode, json["verdict"], json["attestation"]]).toEqual([
      20,
      "PARTIAL",
      { kind: "none", code: "AUDIT_SIGNS_NOTHING" },
    ]);
    expect(json["survivors"]).toContainEqual(expect.objectContaining({ surface: "summaries", provenance: "reached" }));
    expect(JSON.stringify(json["survivors"])).not.toContain('"key":');
    const keyed = await askCli(memory.directory, [...AUDIT, "--keys"]);
    expect(keyed.json["survivors"]).toContainEqual(expect.objectContaining({ surface: "summaries", key: "s1" }));
    const onTerminal = await runCli(memory.directory, AUDIT, { isOutTerminal: true, environment: { NO_COLOR: "1" } });
    expect(onTerminal.out).toContain("summaries/s1");
    const inPipe = await runCli(memory.directory, AUDIT);
    expect(inPipe.out).not.toContain("summaries/s1");
    expect(inPipe.out).toContain("summaries");
  });

  it("CLAIM-3: a claim that the primary contradicts is an ErasureAuditError, printed as UNCONFIRMED with its code", async () => {
    const memory = await prepared();
    writeClaim(memory, { ...CLAIM, surfacesReached: ["episodes", "summaries"] });
    const { exitCode, json } = await askCli(memory.directory, AUDIT);
    expect([exitCode, json["verdict"]]).toEqual([21, "UNCONFIRMED"]);
    expect(json.error).toMatchObject({
      class: "ErasureAuditError",
      code: "PRIMARY_STILL_HOLDS",
      where: { surfaces: ["episodes"] },
    });
    expect(json.error?.cure).toBeTypeOf("string");
    const { out } = await runCli(memory.directory, AUDIT);
    expect(out).toContain("UNCONFIRMED: ");
    expect(out).toContain("error: ErasureAuditError PRIMARY_STILL_HOLDS");
  });

  it("CLAIM-3: a success that names no surface is NO_SURFACE_NAMED", async () => {
    const memory = await prepared();
    runTool(
      memory,
      "PRAGMA secure_delete = ON; DELETE FROM episodes WHERE user_id = 'marta-77'; DELETE FROM summaries",
    );
    writeClaim(memory, { ...CLAIM, surfacesReached: [] });
    const { json } = await askCli(memory.directory, AUDIT);
    expect(json["reasons"]).toContainEqual(expect.objectContaining({ code: "NO_SURFACE_NAMED" }));
  });

  it("CLAIM-2: tries the tool's own insert path by a command, and believes no other word than its last", async () => {
    const memory = await prepared();
    runTool(
      memory,
      "PRAGMA secure_delete = ON; DELETE FROM episodes WHERE user_id = 'marta-77'; DELETE FROM summaries; VACUUM",
    );
    writeClaim(memory, { ...CLAIM, surfacesReached: ["episodes", "summaries"], tombstoneWritten: true });
    const seen = join(memory.directory, "offered.json");
    const codesOf = async (answer: string): Promise<readonly string[]> => {
      const command = `node -e "const fs=require('fs');fs.writeFileSync('${seen}',fs.readFileSync(0));console.log('${answer}')"`;
      const { json } = await askCli(memory.directory, [...AUDIT, "--reingest", command]);
      return (json["reasons"] as readonly { code: string }[]).map(({ code }) => code);
    };
    expect(await codesOf("tried: accepted")).toContain("RESURRECTABLE");
    expect(existsSync(seen)).toBe(true);
    expect(JSON.parse(readFileSync(seen, "utf8"))).toHaveLength(4);
    expect(await codesOf("I think it is fine")).toContain("GUARD_NOT_SHOWN");
    const refused = await codesOf("refused");
    expect(refused).not.toContain("RESURRECTABLE");
    expect(refused).not.toContain("GUARD_NOT_SHOWN");
  });

  it("says that without a ticket only the given person was looked for", async () => {
    const memory = smallMemory();
    await runCli(memory.directory, ["scan"]);
    writeClaim(memory, CLAIM);
    const { out } = await runCli(memory.directory, ["audit", "--claim", "claim.json"]);
    expect(out).toContain("Without a ticket only the given person was looked for");
  });

  const bad: readonly (readonly [string, unknown, string])[] = [
    ["no object", "deleted", "BAD_CLAIM"],
    ["a status of its own", { ...CLAIM, status: "deleted" }, "BAD_CLAIM"],
    ["no list of surfaces", { ...CLAIM, surfacesReached: "all" }, "BAD_CLAIM"],
  ];
  it.each(bad)("refuses a claim with %s, and does not repeat it", async (_what, claim, code) => {
    const memory = await prepared();
    writeClaim(memory, claim);
    const { exitCode, json, run } = await askCli(memory.directory, AUDIT);
    expect([exitCode, json.error?.code]).toEqual([2, code]);
    expect(run.out).not.toContain("marta-77");
  });

  it("refuses a foreign ticket, one that has expired, and one of another inventory", async () => {
    const memory = await prepared();
    writeClaim(memory, CLAIM);
    const expired = await askCli(memory.directory, AUDIT, { clock: late });
    expect([expired.exitCode, expired.json.error?.code]).toEqual([2, "BAD_TICKET"]);
    const ticket: unknown = JSON.parse(readFileSync(join(memory.directory, "ticket.json"), "utf8"));
    for (const change of [{ format: "other/1" }, { ticket: "0".repeat(32) }, { boundary: "somebody/else" }]) {
      writeFileSync(join(memory.directory, "ticket.json"), JSON.stringify(Object.assign({}, ticket, change)));
      const { exitCode, json } = await askCli(memory.directory, AUDIT);
      expect([exitCode, json.error?.code]).toEqual([2, "BAD_TICKET"]);
    }
  });
});
