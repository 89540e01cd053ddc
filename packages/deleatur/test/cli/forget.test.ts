// The flow on the command line over a real small memory: every end of a forget, its exit code, and what is said about it. Over 400 lines because it is one list of cases.
import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { askCli, runCli } from "./run-cli.ts";
import { SECRETS, type SmallMemory, smallMemory, subjectFile, temporaryDirectory } from "./small-memory.ts";

const CACHE =
  "  prompts: { kind: provider-cache, role: cache, label: prompt cache, horizon: { max: PT1H, basis: contract } }\n";
const UNBOUNDED = "  prompts: { kind: provider-cache, role: cache, label: prompt cache }\n";
const COMPLIANT = /COMPLIANT: nothing found in the \d+ declared locations/g;

function rowsOf({ database }: SmallMemory, table: string): readonly unknown[] {
  const db = new Database(database, { readonly: true });
  try {
    return db.prepare(`SELECT * FROM ${table} ORDER BY id`).all();
  } finally {
    db.close();
  }
}

/** The papers of a receipt alone, in a folder without inventory, ledger or stores: what a verifier has. */
function verifiersFolder(memory: SmallMemory, papers: string, receipt: string): string {
  const folder = temporaryDirectory();
  for (const name of ["boundary.public.json", "public-key.pem"]) {
    copyFileSync(join(memory.directory, papers, name), join(folder, name));
  }
  copyFileSync(join(memory.directory, receipt), join(folder, "receipt.json"));
  return folder;
}

/** The person code in a letter, in which it stands in two lines. */
function codeIn(letter: string): string {
  return /(?:[0-9A-Z]{7}-){7}[0-9A-Z]{7}/.exec(letter.replaceAll("<br>", ""))?.[0] ?? "";
}

const december = (): Date => new Date("2026-12-08T09:00:00Z");
const inTwoHours = (): Date => new Date(Date.now() + 2 * 3_600_000);

const PINNED = ["--boundary", "boundary.public.json", "--public-key", "public-key.pem"];

describe("forget", () => {
  it("CLAIM-1 VERDICT-6: ends with 0 and says COMPLIANT only with its limits, confirmed and partial apart", async () => {
    const memory = smallMemory();
    const file = subjectFile(memory);
    const { exitCode, out, err } = await runCli(memory.directory, ["forget", "--subject-file", file]);
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out.match(COMPLIANT)).toEqual(["COMPLIANT: nothing found in the 2 declared locations"]);
    expect(out.replaceAll(COMPLIANT, "")).not.toContain("COMPLIANT");
    expect(rowsOf(memory, "episodes")).toHaveLength(2);

    const again = await askCli(memory.directory, ["requests"]);
    const [request] = again.json["requests"] as readonly { request: string; verdict: string }[];
    expect(request?.verdict).toBe("COMPLIANT");
    const listed = (await runCli(memory.directory, ["requests"])).out;
    expect(listed.replaceAll(COMPLIANT, "")).not.toContain("COMPLIANT");
    const shown = await askCli(memory.directory, ["requests", request?.request ?? ""]);
    expect(shown.json).toMatchObject({
      state: "closed",
      verdict: "COMPLIANT",
      attestation: { kind: "erasure" },
      totals: {
        confirmed: { erased: 4, rewritten: 0, absent: 0 },
        partial: { survivors: 0, stillHeld: 0, failed: 0, unconfirmed: 0, kept: 0 },
      },
    });
  });

  it("says a bystander's loss before everything else", async () => {
    const memory = smallMemory();
    const { out } = await runCli(memory.directory, ["forget", "--subject-file", subjectFile(memory)]);
    expect(out.split("\n")[0]).toBe("lost for others too: 1 record, as the inventory declares (shared: destroy)");
  });

  it("VERDICT-6: gives scripts one object with its stable fields", async () => {
    const memory = smallMemory();
    const { exitCode, json } = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory)]);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({
      schema: "deleatur-cli/1",
      verb: "forget",
      state: "closed",
      verdict: "COMPLIANT",
      reasons: [],
      attestation: { kind: "erasure" },
      error: null,
      survivors: [],
      suspects: { open: 0, reviewed: 0 },
      surfacesReached: ["episodes", "summaries"],
      tombstoneWritten: true,
      exitCode: 0,
    });
    expect(json["surfaces"]).toEqual([
      expect.objectContaining({
        surface: "episodes",
        state: "covered",
        confirmed: { erased: 2, rewritten: 0, absent: 0 },
      }),
      expect.objectContaining({
        surface: "summaries",
        state: "covered",
        confirmed: { erased: 2, rewritten: 0, absent: 0 },
      }),
    ]);
    expect(existsSync(json["receipt"] as string)).toBe(true);
  });

  it("VERIFY-6: writes the letter of a closed request although no folder was given, for its owner's eyes, and prints no code", async () => {
    const memory = smallMemory();
    const { json, run } = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory)]);
    const [letter] = json["papers"] as readonly string[];
    expect(codeIn(readFileSync(letter ?? "", "utf8"))).not.toBe("");
    expect(statSync(letter ?? "").mode & 0o077).toBe(0);
    expect(codeIn(run.out)).toBe("");
  });

  it("CLAIM-4: claims nothing about a person who was not there, and ends with 21", async () => {
    const memory = smallMemory();
    const { exitCode, json } = await askCli(memory.directory, ["forget", "--subject-file", "-"], {
      input: "account:nobody",
    });
    expect(exitCode).toBe(21);
    expect(json).toMatchObject({ surfacesReached: [], tombstoneWritten: false, receipt: null });
    expect(json["reasons"]).toContainEqual(expect.objectContaining({ code: "NOTHING_FOUND" }));
    const foreseen = await runCli(memory.directory, ["forget", "--subject-file", "-", "--dry-run"], {
      input: "account:nobody",
    });
    expect(foreseen.out).toContain("Nothing would be attested about this person");
    expect(foreseen.out).not.toContain("Best that could be attested");
  });

  it("shows the closure of a dry run as a tree, and touches neither store nor request", async () => {
    const memory = smallMemory({ surfaces: CACHE });
    const before = [rowsOf(memory, "episodes"), rowsOf(memory, "summaries")];
    const argv = ["forget", "--dry-run", "--subject-file", subjectFile(memory)];
    const { out, exitCode } = await runCli(memory.directory, argv);
    // What it would come to is an erasure that takes effect later.
    expect(exitCode).toBe(22);
    expect(out).toContain("person\n└─ conversation memory: erase 2\n   └─ summaries: erase 2\n");
    expect(out).toContain("summaries: 1 record lost for others too");
    expect(out).toContain("prompt cache: ");
    expect(out).toContain("Best that could be attested: an erasure, in effect 1 h later");
    const { json } = await askCli(memory.directory, argv);
    expect(json).toMatchObject({ closure: { count: 4, depth: 1 }, best: { attestation: "erasure" } });
    expect(json).not.toHaveProperty("items");
    expect((await askCli(memory.directory, [...argv, "--keys"])).json["items"]).toHaveLength(4);
    expect([rowsOf(memory, "episodes"), rowsOf(memory, "summaries")]).toEqual(before);
    expect((await askCli(memory.directory, ["requests"])).json["requests"]).toEqual([]);
  });

  it.each([
    { what: "nothing stands in the way", surfaces: "", extra: [], exitCode: 0 },
    { what: "no erasure can be signed", surfaces: UNBOUNDED, extra: [], exitCode: 20 },
    { what: "triggers alone keep it out", surfaces: "", extra: [], writers: "trigger", exitCode: 21 },
    { what: "a tombstone is allowed", surfaces: UNBOUNDED, extra: ["--allow-tombstone"], exitCode: 20 },
    { what: "nobody is there", surfaces: "", extra: [], input: "account:nobody", exitCode: 21 },
  ])(
    "ATTEST-1 CLAIM-4: a dry run ends with $exitCode, as the forget behind it, where $what",
    async ({ surfaces, extra, exitCode, writers = "sdk", input = "account:marta-77" }) => {
      const { directory } = smallMemory({ surfaces, writers });
      const argv = ["forget", "--subject-file", "-", ...extra];
      expect((await runCli(directory, [...argv, "--dry-run"], { input })).exitCode).toBe(exitCode);
      expect((await runCli(directory, argv, { input })).exitCode).toBe(exitCode);
    },
  );

  it("ATTEST-1: stops before the first delete where an erasure is required and cannot be attested", async () => {
    const memory = smallMemory({ surfaces: UNBOUNDED });
    const argv = ["forget", "--subject-file", subjectFile(memory), "--require", "erasure"];
    const { exitCode, json } = await askCli(memory.directory, argv);
    expect(exitCode).toBe(21);
    expect(json.error).toMatchObject({
      class: "DerivationClosureError",
      code: "DOMAIN_NOT_COVERED",
      where: { surfaces: ["prompts"] },
    });
    expect(rowsOf(memory, "episodes")).toHaveLength(4);
  });

  it("asks before a purge locks a store, and waits with 22 where nobody answers", async () => {
    const memory = smallMemory({ isAdopted: false });
    const file = subjectFile(memory);
    const waiting = await askCli(memory.directory, ["forget", "--subject-file", file]);
    expect([waiting.exitCode, waiting.json["state"], waiting.json["verdict"]]).toEqual([22, "waiting", null]);
    expect(waiting.json["next"]).toContain("--now");
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => {
      asked.push(question);
      return Promise.resolve(asked.length === 1 ? "n" : "yes");
    };
    expect((await runCli(memory.directory, ["forget", "--subject-file", file], { ask })).exitCode).toBe(22);
    expect((await runCli(memory.directory, ["forget", "--subject-file", file], { ask })).exitCode).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it("lists what is received and due, overdue in negative days", async () => {
    const memory = smallMemory({ surfaces: UNBOUNDED });
    const file = subjectFile(memory);
    await runCli(memory.directory, ["forget", "--subject-file", file, "--received", "2026-11-02"], { clock: december });
    const { json } = await askCli(memory.directory, ["requests"], { clock: december });
    expect(json["requests"]).toEqual([
      expect.objectContaining({ received: "2026-11-02T00:00:00Z", due: "2026-12-02T00:00:00Z", daysLeft: -6 }),
    ]);
  });
});

describe("verify and letter, from the papers alone", () => {
  it("VERIFY-1 VERIFY-5: 0 with inventory and --self-attested, 23 where either is missing, 24 for a forged or foreign receipt", async () => {
    const memory = smallMemory();
    const argv = ["forget", "--subject-file", subjectFile(memory), "--out", "papers", "--lang", "de"];
    const { json } = await askCli(memory.directory, argv);
    const folder = verifiersFolder(memory, "papers", json["receipt"] as string);
    const verify = (...more: readonly string[]): ReturnType<typeof askCli> => askCli(folder, ["verify", ...more]);

    const whole = await verify("receipt.json", ...PINNED, "--self-attested");
    expect([whole.exitCode, whole.json["attestation"]]).toEqual([0, { kind: "erasure" }]);
    const alone = await verify("receipt.json", ...PINNED);
    expect([alone.exitCode, alone.json["attestation"]]).toEqual([23, null]);
    const unscoped = await verify("receipt.json", "--public-key", "public-key.pem", "--self-attested");
    expect([unscoped.exitCode, unscoped.json["scope"]]).toEqual([23, "not checked"]);
    const listed = "episodes primary\nsummaries derived\n";
    const byList = ["--expect", "-", "--public-key", "public-key.pem", "--self-attested"];
    expect((await askCli(folder, ["verify", "receipt.json", ...byList], { input: listed })).exitCode).toBe(0);
    const shorter = await askCli(folder, ["verify", "receipt.json", ...byList], { input: "episodes primary\n" });
    expect(shorter.exitCode).toBe(24);

    const letter = readFileSync(join(memory.directory, (json["papers"] as readonly string[]).at(-1) ?? ""), "utf8");
    expect(letter).toContain('<html lang="de">');
    const bound = [...PINNED, "--self-attested", "--person-code", codeIn(letter), "--subject-file", "-"];
    expect((await askCli(folder, ["verify", "receipt.json", ...bound], { input: "account:marta-77" })).exitCode).toBe(
      0,
    );
    expect((await askCli(folder, ["verify", "receipt.json", ...bound], { input: "account:jonas-12" })).exitCode).toBe(
      24,
    );

    const forged = readFileSync(join(folder, "receipt.json"), "utf8").replace(
      /("payload"\s*:\s*"[A-Za-z0-9+/]{40})./,
      "$1!",
    );
    expect((await askCli(folder, ["verify", "-", ...PINNED], { input: forged })).exitCode).toBe(24);
    expect((await askCli(folder, ["verify", "-", ...PINNED], { input: "{}" })).exitCode).toBe(24);
    const text = await runCli(folder, ["verify", "receipt.json", ...PINNED, "--self-attested"]);
    expect(text.out).toMatch(/checks: \d+ passed, 0 failed, .*\d+ not applicable/);
    expect(text.out).toContain("Rests on mathematics:");
    expect(text.out).toContain("Rests on the operator:");
    expect(existsSync(join(folder, "deleatur.db"))).toBe(false);
  });

  it("writes the letter again from a receipt, and none from a forged one", async () => {
    const memory = smallMemory();
    const { json } = await askCli(memory.directory, [
      "forget",
      "--subject-file",
      subjectFile(memory),
      "--out",
      "papers",
    ]);
    const receipt = json["receipt"] as string;
    for (const lang of ["en", "de", "fr"]) {
      const letter = await runCli(memory.directory, ["letter", receipt, "--lang", lang, "--controller", "Lindenhof"]);
      expect(letter.exitCode).toBe(0);
      expect(letter.out).toContain(`<html lang="${lang}">`);
    }
    const foreign = temporaryDirectory();
    const stranger = smallMemory();
    await runCli(stranger.directory, ["keys", "public", join(foreign, "stranger.pem")]);
    copyFileSync(join(memory.directory, receipt), join(foreign, "receipt.json"));
    const refused = await askCli(foreign, ["letter", "receipt.json", "--public-key", "stranger.pem"]);
    expect(refused.exitCode).toBe(24);
    expect(refused.json).not.toHaveProperty("html");
  });
});

describe("what stays open", () => {
  it("ATTEST-1 ATTEST-2 VERIFY-2: withholds with 20, downgrades only by the named act, and no tombstone verifies as an erasure", async () => {
    const memory = smallMemory({ surfaces: UNBOUNDED });
    const first = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--out", "papers"]);
    expect([first.exitCode, first.json["verdict"], first.json["state"]]).toEqual([20, "PARTIAL", "stuck"]);
    expect(first.json["attestation"]).toMatchObject({ kind: "withheld", code: "DOMAIN_NOT_COVERED" });
    expect(first.json.error).toMatchObject({ code: "DOMAIN_NOT_COVERED", where: { surfaces: ["prompts"] } });
    const refusal = verifiersFolder(memory, "papers", first.json["receipt"] as string);
    expect((await askCli(refusal, ["verify", "receipt.json", ...PINNED, "--self-attested"])).exitCode).toBe(21);

    const request = first.json["request"] as string;
    const down = await askCli(memory.directory, ["attest", request, "--allow-tombstone", "--out", "papers"]);
    expect([down.exitCode, down.json["verdict"], down.json["state"]]).toEqual([20, "PARTIAL", "confirming"]);
    expect(down.json["attestation"]).toMatchObject({
      kind: "tombstone",
      risks: [{ surface: "prompts", code: "UNBOUNDED" }],
    });
    const folder = verifiersFolder(memory, "papers", down.json["receipt"] as string);
    const verified = await askCli(folder, ["verify", "receipt.json", ...PINNED, "--self-attested"]);
    expect([verified.exitCode, verified.json["attestation"]]).toEqual([20, { kind: "tombstone" }]);

    const risks = await askCli(memory.directory, ["risks"]);
    expect(risks.json["risks"]).toEqual([
      expect.objectContaining({ surface: "prompts", kind: "UNBOUNDED", overdue: false }),
    ]);
  });

  it("ATTEST-8 RISK-1: 22 until the horizon, then the confirming audit closes risk and request, with a letter", async () => {
    const memory = smallMemory({ surfaces: CACHE });
    const first = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--out", "papers"]);
    expect([first.exitCode, first.json["verdict"], first.json["state"]]).toEqual([22, "UNCONFIRMED", "confirming"]);
    const folder = verifiersFolder(memory, "papers", first.json["receipt"] as string);
    const pinned = ["verify", "receipt.json", ...PINNED, "--self-attested"];
    expect((await askCli(folder, pinned)).exitCode).toBe(22);

    const early = await askCli(memory.directory, ["risks", "--due"]);
    expect([early.exitCode, early.json["closed"], early.json["audited"]]).toEqual([0, 0, []]);
    expect((await askCli(folder, pinned, { clock: inTwoHours })).exitCode).toBe(0);
    expect((await runCli(memory.directory, ["risks"], { clock: inTwoHours })).out).toContain("overdue");
    const due = await askCli(memory.directory, ["risks", "--due"], { clock: inTwoHours });
    expect([due.exitCode, due.json["closed"], due.json["risks"]]).toEqual([0, 1, []]);
    expect(due.json["audited"]).toEqual([expect.objectContaining({ state: "closed", verdict: "COMPLIANT" })]);
    const all = await askCli(memory.directory, ["risks", "--all"], { clock: inTwoHours });
    expect(all.json["risks"]).toEqual([
      expect.objectContaining({ kind: "HORIZON_OPEN", closed: expect.anything() as unknown }),
    ]);
    const log = JSON.stringify((await askCli(memory.directory, ["log"], { clock: inTwoHours })).json["log"]);
    expect(log).toContain('"risk-opened"');
    expect(log).toContain('"risk-closed"');
  });

  it("ATTEST-7 FORGET-2: what a hold keeps is lawful, not failed; its release runs the request again", async () => {
    const memory = smallMemory();
    const held = ["hold", "episodes/e2", "--ground", "case-4", "--until", "2999-01-01"];
    expect((await askCli(memory.directory, held)).json["held"]).toBe(1);
    expect((await askCli(memory.directory, ["hold", "--keys"])).json["holds"]).toEqual([
      expect.objectContaining({ record: "episodes/e2", ground: "case-4" }),
    ]);
    const first = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory)]);
    expect(first.exitCode).toBe(20);
    expect(first.json["reasons"]).toContainEqual(
      expect.objectContaining({ code: "KEPT", class: "lawful", surface: "episodes" }),
    );
    expect(first.json["totals"]).toMatchObject({ partial: { kept: 1, failed: 0, survivors: 0 } });
    const released = await askCli(memory.directory, ["hold", "--release", "episodes/e2"]);
    expect(released.exitCode).toBe(0);
    expect(released.json["requests"]).toEqual([expect.objectContaining({ state: "closed", verdict: "COMPLIANT" })]);
    const [outcome] = released.json["requests"] as readonly { papers: readonly string[] }[];
    expect(outcome?.papers).toEqual([expect.stringContaining(".letter.en.html")]);
    const log = JSON.stringify((await askCli(memory.directory, ["log"])).json["log"]);
    expect(log).toContain('"hold-placed"');
    expect(log).toContain('"hold-released"');
    expect(log).not.toContain("case-4");
  });

  it("VERDICT-1: a likeness waits for a person; decided and logged, the request goes on", async () => {
    const memory = smallMemory({ hasLikeness: true });
    const first = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory)]);
    expect([first.exitCode, first.json["suspects"]]).toEqual([21, { open: 1, reviewed: 0 }]);
    const request = first.json["request"] as string;
    const shown = await runCli(memory.directory, ["review"]);
    expect(shown.out).toContain("behind the blue bins in the yard");
    const list = (await askCli(memory.directory, ["review", request])).json["list"] as readonly { id: string }[];
    const id = list[0]?.id ?? "";
    const decide = (...ids: readonly string[]): ReturnType<typeof askCli> =>
      askCli(memory.directory, [
        "review",
        request,
        "--keep",
        ...ids,
        "--role",
        "privacy-officer",
        "--reason",
        "COINCIDENCE",
      ]);
    // Many at once, and all or none: one that nobody knows decides nothing.
    expect((await decide(id, "unknown")).json.error?.code).toBe("SUSPECT_UNKNOWN");
    expect((await askCli(memory.directory, ["review", request])).json["suspects"]).toEqual({ open: 1 });
    expect((await decide(id, id)).json["suspects"]).toEqual({ open: 0 });
    const ended = await askCli(memory.directory, ["forget", "--resume", request, "--now"]);
    expect([ended.exitCode, ended.json["verdict"], ended.json["suspects"]]).toEqual([
      0,
      "COMPLIANT",
      { open: 0, reviewed: 1 },
    ]);
    const log = JSON.stringify((await askCli(memory.directory, ["log"])).json["log"]);
    expect(log).toContain('"review-decided"');
  });

  it("VERDICT-2: a likeness that is about the person is erased by the resumed request", async () => {
    const memory = smallMemory({ hasLikeness: true });
    const first = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory)]);
    const request = first.json["request"] as string;
    const list = (await askCli(memory.directory, ["review", request])).json["list"] as readonly { id: string }[];
    await runCli(memory.directory, [
      "review",
      request,
      "--erase",
      list[0]?.id ?? "",
      "--role",
      "dpo",
      "--reason",
      "ABOUT_THEM",
    ]);
    expect((await runCli(memory.directory, ["forget", "--resume", request, "--now"])).exitCode).toBe(0);
    expect(rowsOf(memory, "summaries")).toEqual([]);
  });

  it("GUARD-2 GUARD-3: lifts a person's identifiers and keeps what guards content; a text is lifted by itself", async () => {
    const memory = smallMemory();
    const file = subjectFile(memory);
    const { json } = await askCli(memory.directory, ["forget", "--subject-file", file]);
    const named = ["--role", "privacy-officer", "--reason", "NEW_CONSENT"];
    expect((await askCli(memory.directory, ["lift", "--subject-file", file, ...named])).json["lifted"]).toBe(1);
    const text = "Please put the parcel for my sister behind the blue bins in the second courtyard on Thursday.";
    const lifted = await askCli(memory.directory, ["lift", "--allow", "-", ...named], { input: text });
    expect(lifted.json["lifted"]).toBe(1);
    const again = await askCli(memory.directory, ["lift", "--allow", "-", ...named], { input: text });
    expect([again.exitCode, again.json.error?.code]).toEqual([2, "NOTHING_LIFTED"]);
    const request = json["request"] as string;
    expect((await askCli(memory.directory, ["lift", "--request", request, ...named])).json["lifted"]).toBeGreaterThan(
      5,
    );
    const log = JSON.stringify((await askCli(memory.directory, ["log"])).json["log"]);
    expect(log).toContain('"denylist-lifted"');
    for (const secret of SECRETS) expect(log).not.toContain(secret);
  });

  it("GUARD-2 GUARD-3: entries past their term are told by check and lifted by name, not by a clock that has jumped", async () => {
    const memory = smallMemory({ top: "guard: { expire: P30D }" });
    await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--now"]);
    const later = { clock: () => new Date(Date.now() + 40 * 86_400_000) };
    const sweep = ["lift", "--expired", "--role", "privacy-officer", "--reason", "TERM_ENDED"];
    const early = await runCli(memory.directory, sweep);
    expect([early.exitCode, early.out.trim()]).toEqual([0, "No term has ended, nothing was lifted"]);
    expect((await runCli(memory.directory, ["check"])).out).not.toContain("--expired");
    const told = await runCli(memory.directory, ["check"], later);
    expect(told.out).toContain("entries of 1 request are past their term, and stand: deleatur lift --expired");
    expect((await askCli(memory.directory, ["check"], later)).json["guard"]).toEqual({ expired: 1 });
    const jumped = await askCli(memory.directory, sweep, later);
    expect([jumped.exitCode, jumped.json.error?.code]).toEqual([2, "CLOCK_AHEAD"]);
    const day = later.clock().toISOString().slice(0, 10);
    expect(jumped.json.error?.cure).toContain(`--today ${day}`);
    const wrong = await askCli(memory.directory, [...sweep, "--today", "2020-02-30"], later);
    expect(wrong.json.error?.code).toBe("CLOCK_CONTRADICTED");
    const said = await runCli(memory.directory, [...sweep, "--today", day], later);
    expect(said.out).toMatch(/^\d+ do-not-store entries of 1 request lifted and logged: their term had ended$/mu);
    expect((await askCli(memory.directory, sweep, later)).json).toMatchObject({ lifted: 0, requests: [] });
    const alone = [...sweep.filter((flag) => flag !== "--expired"), "--today", day];
    expect((await askCli(memory.directory, alone)).json.error?.code).toBe("TODAY_ALONE");
  });

  it("VERDICT-4 RISK-1: a store out of reach is a tombstone at best, settled all the same; when it is back, the resumed request erases there", async () => {
    const memory = smallMemory({
      surfaces: `  archive: { kind: sqlite, role: transcript, label: archive, store: archive, table: episodes, key: id,
             subject: { column: user_id, type: account }, content: [text] }\n`,
      connect: "  archive: { file: ./archive.db }\n",
    });
    const archive = join(memory.directory, "archive.db");
    const away = join(memory.directory, "elsewhere.db");
    const db = new Database(memory.database);
    db.exec(`VACUUM INTO '${away}'`);
    db.close();
    const copy = new Database(away);
    copy.exec("DROP TABLE summaries; VACUUM");
    copy.close();
    const check = await askCli(memory.directory, ["check"]);
    expect([check.exitCode, check.json["undeclared"]]).toEqual([20, []]);
    const first = await askCli(memory.directory, ["forget", "--subject-file", subjectFile(memory), "--now"]);
    expect([first.exitCode, first.json["verdict"]]).toEqual([20, "PARTIAL"]);
    expect((first.json["reasons"] as readonly { code: string }[]).map(({ code }) => code)).toEqual(["UNREACHABLE"]);
    const request = first.json["request"] as string;
    const down = await askCli(memory.directory, ["attest", request, "--allow-tombstone", "--now"]);
    expect([down.exitCode, down.json["state"]]).toEqual([20, "confirming"]);

    renameSync(away, archive);
    const ended = await askCli(memory.directory, ["forget", "--resume", request, "--now"]);
    expect(ended.json["reasons"]).toEqual([]);
    expect([ended.exitCode, ended.json["verdict"], ended.json["state"]]).toEqual([0, "COMPLIANT", "closed"]);
    expect(rowsOf({ ...memory, database: archive }, "episodes")).toHaveLength(2);
    expect((await askCli(memory.directory, ["risks"])).json["risks"]).toEqual([]);
  });
});
