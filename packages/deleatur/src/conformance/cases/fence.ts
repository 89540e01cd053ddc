// Cases of the fence and the insert path: as strong as the kind says, no stronger, exact, and down when it was taken down.
import { artifactKey, type ArtifactKey } from "../../model/ids.ts";
import type { FenceOrder } from "../../surface.ts";
import { hold, needs, possible } from "../case-end.ts";
import { byNothing, byScan, byStrongFence, type ConformanceCase } from "../conformance-case.ts";
import { ORIGINS, OTHER, PERSON, REQUEST, type Scene } from "../stage.ts";
import type { BenchRecord } from "../subject.ts";

export const FENCE_CASES: readonly ConformanceCase[] = [
  {
    name: "fence-strength",
    says: "a fence has the strength that the guarantees give: strong refuses a stranger's write, leased and none do not",
    demandedBy: byScan,
    async run({ kind, lay, record }, signal) {
      const scene = await lay();
      await scene.put(record({ accounts: [OTHER] }));
      const promised = kind.guarantees.fence;
      const answered = await scene.surface.fence(order({ accounts: [PERSON] }), signal);
      hold(answered === promised, `the kind guarantees ${promised} and the fence answers ${answered}`);
      const isHeldBack = scene.bench.holds.accounts !== "none" && (await isRefused(scene, record(), signal));
      if (promised === "strong") {
        needs(scene.bench.holds.accounts !== "none", "a record is about nobody");
        hold(isHeldBack, "a write about a fenced person gets in");
      } else hold(!isHeldBack, `the fence is ${promised} and refuses a write: it is stronger than the kind says`);
      hold(!(await isRefused(scene, record({ accounts: [OTHER] }), signal)), "a write about somebody else is refused");
      hold((await scene.surface.unfence([REQUEST], signal)) === "ended", "nobody reads, and the fence does not end");
      hold(!(await isRefused(scene, record(), signal)), "the fence has ended and still refuses");
    },
  },
  {
    name: "fence-exact",
    says: "a fence over person 42 lets in 421, 4, 042 and the empty one (C16)",
    demandedBy: byStrongFence,
    async run({ lay, record }, signal) {
      const scene = await lay();
      needs(scene.surface.guarantees.fence === "strong", "the fence is not strong");
      needs(scene.bench.holds.accounts !== "none", "a record is about nobody");
      await scene.surface.fence(order({ accounts: ["42"] }), signal);
      for (const account of ["421", "4", "042", "142", ""])
        hold(
          !(await isRefused(scene, record({ accounts: [account] }), signal)),
          "a write about somebody else is refused",
        );
      hold(
        (await isRefused(scene, record({ accounts: ["42"] }), signal)) ===
          (scene.surface.guarantees.fence === "strong"),
        "it is not as strong as the kind says",
      );
    },
  },
  {
    name: "fence-sources",
    says: "a strong fence refuses a write that derives from a fenced source, and no other",
    demandedBy: byNothing,
    async run({ lay, record }, signal) {
      const scene = await lay();
      needs(scene.bench.holds.sources !== "none", "a record has no source");
      needs(scene.surface.guarantees.fence === "strong", "the fence is not strong");
      await scene.surface.fence(order({ sources: ["origin-1"] }), signal);
      hold(await isRefused(scene, record({ sources: ["origin-1"] }), signal), "a write from a fenced source gets in");
      hold(
        !(await isRefused(scene, record({ sources: ["origin-11"] }), signal)),
        "a write from another source is refused",
      );
    },
  },
  {
    name: "fence-keys",
    says: "a strong fence refuses that a fenced key is written again, and lets our own erase through",
    demandedBy: byStrongFence,
    async run({ lay, record }, signal) {
      const scene = await lay();
      needs(scene.surface.guarantees.fence === "strong", "the fence is not strong");
      const fenced = await scene.put(record({ accounts: [OTHER] }));
      const free = await scene.put(record({ accounts: [OTHER] }));
      await scene.surface.fence(order({ keys: [fenced] }), signal);
      hold((await scene.erase([fenced]))[0] === "erased", "the fence holds up our own erase");
      const again = record({ key: fenced, accounts: [OTHER] });
      hold(await isRefused(scene, again, signal), "a fenced key can be written again");
      hold(!(await isRefused(scene, { ...again, key: free }, signal)), "another key is refused");
    },
  },
  {
    name: "fence-adds",
    says: "a fence that is asked for again adds, two requests' fences stand beside each other, and one that never was ends",
    demandedBy: byStrongFence,
    async run({ lay, record }, signal) {
      const scene = await lay();
      needs(scene.surface.guarantees.fence === "strong", "the fence is not strong");
      needs(scene.bench.holds.accounts !== "none", "a record is about nobody");
      const second = "fedcba9876543210fedcba9876543210" as typeof REQUEST;
      hold((await scene.surface.unfence([second], signal)) === "ended", "a fence that never was does not end");
      await scene.surface.fence(order({ accounts: [PERSON] }), signal);
      await scene.surface.fence(order({ accounts: [OTHER] }), signal);
      await scene.surface.fence({ ...order({ accounts: [OTHER] }), request: second }, signal);
      const about = (account: string): Promise<boolean> => isRefused(scene, record({ accounts: [account] }), signal);
      hold((await about(PERSON)) && (await about(OTHER)), "what was asked for second took the place of the first");
      const standing = await scene.surface.fences(signal);
      hold(standing.includes(REQUEST) && standing.includes(second), "fences that stand are not among those it tells");
      await scene.surface.unfence([REQUEST], signal);
      hold(!(await about(PERSON)) && (await about(OTHER)), "one request's end is not just its own");
      await scene.surface.unfence([second], signal);
      hold(!(await about(OTHER)), "the last fence has ended and still refuses");
      hold((await scene.surface.fences(signal)).length === 0, "it tells of fences that have ended");
    },
  },
  {
    name: "offer-answers",
    says: "a dry-run insert is refused by a strong fence over its person, and accepted where nothing stands against it",
    demandedBy: byScan,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const artifact = await scene.one(await scene.put(record()));
      const offered = { ...artifact, key: artifactKey("deleatur-offer-1") };
      await scene.erase([artifact.key]);
      const open = await scene.surface.offer(offered, signal);
      needs(open.outcome !== "no-insert-path", open.outcome === "no-insert-path" ? open.why : "");
      hold(open.outcome === "accepted", `nothing stands against it, and the offer is answered as ${open.outcome}`);
      if (scene.surface.guarantees.fence !== "strong") return;
      await scene.surface.fence(order({ accounts: [PERSON] }), signal);
      const shut = await scene.surface.offer(offered, signal);
      hold(
        shut.outcome === "refused" && shut.by === "fence",
        `with its person fenced the offer is answered as ${shut.outcome}`,
      );
    },
  },
];

interface Fenced {
  readonly accounts?: readonly string[];
  readonly keys?: readonly ArtifactKey[];
  readonly sources?: readonly string[];
}

function order({ accounts = [], keys = [], sources = [] }: Fenced): FenceOrder {
  return {
    request: REQUEST,
    identifiers: accounts.map((value) => ({ type: "account", value })),
    keys,
    sources: new Map(sources.length === 0 ? [] : [[ORIGINS, sources.map(artifactKey)]]),
  };
}

/** Whether the store itself says no to a stranger. @throws CaseEnd where the bench cannot write it */
async function isRefused({ bench }: Scene, record: BenchRecord, signal: AbortSignal): Promise<boolean> {
  return possible(await bench.write([record], signal)).outcome === "refused";
}
