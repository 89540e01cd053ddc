// The example's program: an agent's memory of two people on servers, a forget tool that deletes one row, what is left then, and what Deleatur makes of it.
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { parsePersonCode, verifyReceipt } from "@deleatur/verify";
import { type Deleatur, isHeld, openDeleatur, publicForm, type RequestOutcome, WriteRefusedError } from "deleatur";
import { answer, hear, summarise, summariseAnew } from "./agent.ts";
import { AgentStore, type Episode } from "./agent-store.ts";

const HEARD: readonly Episode[] = [
  {
    id: "m1",
    account: "mira",
    text: "My cello teacher moved to Lisbon, please cancel the lessons that I booked for March.",
  },
  { id: "m2", account: "mira", text: "Doctor Ottenwald wants my pacemaker readings before the nineteenth." },
  { id: "j1", account: "jonas", text: "The boiler in the second cellar grinds loudly whenever it starts raining." },
  { id: "j2", account: "jonas", text: "Our beekeeping club meets on alternate Thursdays behind the railway depot." },
];
const MIRA = "account:mira";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

let missed = 0;
function expectThat(what: string, isSo: boolean): void {
  if (!isSo) missed += 1;
  say(`  ${isSo ? "ok" : "NOT SO"}: ${what}`);
}

const store = await AgentStore.create(addressIn("PG_URL"), addressIn("REDIS_URL"), "transcripts/agent.jsonl");
const memory = await openDeleatur("deleatur.yaml");
memory.registerRederive("summarise", summariseAnew);
try {
  await remember();
  const before = await store.digestOf("jonas");
  await forgetNaively();
  const outcome = await forget();
  const after = await store.digestOf("jonas");
  expectThat(`Jonas's ${after.records} records are as before`, before.digest === after.digest && after.records > 0);
  expectThat("the shared summary holds Jonas's words alone", isOnlyJonas(await store.summary("household")));
  verify(outcome);
  await offerAgain();
} finally {
  await memory.close();
  await store.close();
}
process.exitCode = missed === 0 ? 0 : 1;

function addressIn(variable: string): string {
  const address = env[variable] ?? "";
  if (address === "") throw new Error(`${variable} is not set, give it the address of a server as the README says`);
  return address;
}

async function remember(): Promise<void> {
  for (const episode of HEARD) await hear(memory, store, episode);
  await summarise(memory, store, "household", HEARD);
  await answer(memory, store, "mira", "When do I see my cello teacher?");
  await answer(memory, store, "jonas", "What is wrong with the boiler?");
  const again = await answer(memory, store, "jonas", "what is WRONG with the boiler");
  say("Remember: four episodes of Mira and Jonas, embeddings, a summary of both, answers, a transcript");
  expectThat("the same question is answered from the cache", again.isCached);
}

/** `audit` judges another tool's claim by the stores; its ticket is taken before that tool runs. */
async function forgetNaively(): Promise<void> {
  const ticket = await memory.prepareAudit({ subject: [MIRA] });
  say(`A naive forget: ${await store.naiveForget("m1")}`);
  const claim = { subject: MIRA, surfacesReached: ["episodes"], tombstoneWritten: false };
  const audit = await memory.audit({ ticket, claim });
  say(`Audit: ${audit.error?.code ?? audit.verdict ?? audit.state}`);
  const left = new Map<string, Set<string>>();
  for (const { surface, key, container } of audit.survivors) {
    const place = surface ?? container;
    left.set(place, (left.get(place) ?? new Set()).add(key ?? container));
  }
  for (const [place, keys] of left) say(`  left in ${place}: ${keys.size}`);
  const places = ["answers", "episodes", "summaries", "transcripts", "vectors"];
  expectThat(
    "something is left in each place",
    places.every((place) => left.has(place)),
  );
  const { best, undeclared } = await memory.check();
  say(`Check: ${undeclared.length} places that nobody declared; at best ${best.attestation}`);
}

/** `now`: the purge rewrites tables and locks them meanwhile; without it, or a declared window, the request waits. */
async function forget(): Promise<RequestOutcome> {
  const outcome = await memory.forget({ subject: [MIRA], now: true });
  say(`Forget: ${outcome.verdict ?? outcome.state} ${outcome.reasons.map(({ code }) => code).join(", ")}`.trimEnd());
  for (const { surface, erased, rewritten } of outcome.surfaces)
    say(`  ${surface}: ${erased} erased, ${rewritten} rewritten`);
  expectThat("an erasure is attested", outcome.attestation.kind === "erasure" && outcome.exitCode === 0);
  return outcome;
}

/** As somebody else would, with a key and an inventory that they pinned before. */
function verify({ receipt, personCode }: RequestOutcome): void {
  if (receipt === undefined) return expectThat("there is a receipt", false);
  const report = verifyReceipt(readFileSync(receipt, "utf8"), {
    publicKeys: [pinnedKey(memory)],
    threshold: 1,
    scope: { boundary: JSON.stringify(publicForm(memory.engine.boundary)) },
    ...(personCode === undefined ? {} : { personCode: parsePersonCode(personCode) }),
    acceptSelfAttested: true,
    auditorKeys: [],
    now: new Date(),
  });
  say(`Verify: ${report.outcome.kind}`);
  expectThat("the receipt verifies as an erasure", report.outcome.kind === "erasure");
}

function pinnedKey({ engine }: Deleatur): string {
  return engine.ledger.keys.publicKeyPem();
}

async function offerAgain(): Promise<void> {
  say("Offer again:");
  const words = HEARD[0]?.text ?? "";
  expectThat("Mira's words are refused", (await offer("m3", "mira", words)) === "DENYLISTED");
  const edited = `${words.toUpperCase()} Thanks!`;
  expectThat("edited, as Jonas's, they are held", (await offer("j3", "jonas", edited)) === "held");
  const other = "A parcel from the seed catalogue waits at the post office.";
  expectThat("other words of Jonas are stored", (await offer("j4", "jonas", other)) === "stored");
}

async function offer(id: string, account: string, text: string): Promise<string> {
  try {
    const held = await hear(memory, store, { id, account, text });
    return held !== undefined && isHeld(held) ? "held" : "stored";
  } catch (error) {
    if (!(error instanceof WriteRefusedError)) throw error;
    return error.code;
  }
}

function isOnlyJonas(summary: string): boolean {
  const holds = (account: string): readonly boolean[] =>
    HEARD.filter((episode) => episode.account === account).map(({ text }) => summary.includes(text));
  return holds("jonas").every(Boolean) && !holds("mira").some(Boolean);
}
