// Cases of keys and persons: odd characters, ids that the store makes up or gives again, namespaces and prefixes that look alike.
import { artifactKey, type ArtifactKey } from "../../model/ids.ts";
import { hold, needs, possible } from "../case-end.ts";
import { byNothing, type ConformanceCase } from "../conformance-case.ts";
import { OTHER, type Scene, says, seeing, writtenKeys } from "../stage.ts";

export const KEY_CASES: readonly ConformanceCase[] = [
  oddKeys("keys-unicode", "letters of any script, in NFC and NFD, and emoji", [
    "\u00fcber \u6f22\u5b57 \u{1f98a}",
    "e\u0301tude",
    "\u00e9tude",
    "\u0645\u0631\u062d\u0628\u0627",
  ]),
  oddKeys("keys-quotes", "quotes, backslashes, wildcards, line ends and blanks", [
    'it\'s "here"',
    "back\\slash",
    "100%_*?[a-z]",
    "a\nb\tc",
    " blank ",
    "$(rm) `x` ${y}",
  ]),
  oddKeys("keys-nul", "a NUL", ["a\0b", "a"]),
  oddKeys("keys-long", "4,096 characters", [`${"k".repeat(4_095)}1`, `${"k".repeat(4_095)}2`]),
  {
    name: "keys-empty",
    says: "a record whose key is empty is no artifact that could be named: a scan throws there, it does not leave it out",
    demandedBy: byNothing,
    async run({ lay, record }, signal) {
      const scene = await lay();
      await scene.put(record());
      possible(await scene.bench.write([record({ key: "" })], signal));
      let isRefused = false;
      try {
        await scene.scan();
      } catch (error) {
        if (!(error instanceof Error && "code" in error)) throw error;
        isRefused = true;
      }
      hold(isRefused, "the scan went past it");
    },
  },
  {
    name: "colliding-namespaces",
    says: "keys of several parts do not collide, whatever separators stand in the parts (C14)",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay({ keys: "composite" });
      const parts = [
        ["a:b", "c"],
        ["a", "b:c"],
        ['a","b', "c"],
        ["a", 'b","c'],
        ["a/b", "c"],
        ["a", "b/c"],
        ["a\0b", "c"],
        ["a", "b\0c"],
      ];
      const keys = await scene.write(parts.map((part) => record({ key: JSON.stringify(part) })));
      await keepsApart(scene, keys);
    },
  },
  {
    name: "similar-keys",
    says: "keys that begin, end or look alike are told apart: 42, 421, 4, 042, 42.0, 4:2 (C16)",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      const wanted = ["42", "421", "4", "042", "42.0", "4:2", "42 ", "-42"];
      const keys = await scene.write(wanted.map((key) => record({ key })));
      hold(keys.join("\n") === wanted.join("\n"), "the bench wrote under other keys than were given");
      await keepsApart(scene, keys);
    },
  },
  {
    name: "similar-persons",
    says: "persons 42, 421, 4 and 042 are read back as four persons (C16)",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      needs(scene.bench.holds.accounts !== "none", "a record is about nobody");
      const accounts = ["42", "421", "4", "042"];
      const keys = await scene.write(accounts.map((account) => record({ accounts: [account] })));
      for (const [place, key] of keys.entries()) {
        const { subjects } = await scene.one(key);
        hold(subjects.length === 1 && subjects[0]?.value === accounts[place], "a person is read back as another");
      }
    },
  },
  {
    name: "namespace-beside",
    says: "a neighbouring namespace whose name begins with ours is neither scanned nor erased nor taken for ours",
    demandedBy: byNothing,
    async run({ lay, record }, signal) {
      const scene = await lay();
      const own = await scene.put(record());
      const beside = record({ key: own, accounts: [OTHER] });
      writtenKeys(await scene.bench.writeBeside([beside], signal), 1);
      const scanned = await scene.scan();
      hold(scanned.length === 1 && scanned.every((artifact) => !says(artifact, beside.text)), "it is scanned as ours");
      await scene.erase([own]);
      await scene.purge();
      hold((await scene.scan()).length === 0, "what is left is not nothing");
      const left = await scene.bench.readBeside(signal);
      hold(left.length === 1 && left.every((text) => text.includes(beside.text)), "it was erased with ours");
    },
  },
  {
    name: "made-up-ids",
    says: "where the store numbers records itself, they are read, erased and offered by its numbers, and a planted canary answers its own",
    demandedBy: byNothing,
    async run({ lay, records }, signal) {
      const scene = await lay({ keys: "made-up" });
      const keys = await scene.write(records(3));
      hold(new Set(keys).size === 3, "three records were written under fewer keys");
      const [gone, kept] = await scene.read(keys);
      hold(gone !== undefined && kept !== undefined, "they cannot be read by these keys");
      const offered = { ...gone, key: artifactKey("deleatur-offer-1") };
      await scene.erase([gone.key]);
      const { outcome } = await scene.surface.offer(offered, signal);
      hold(
        outcome === "accepted" || outcome === "no-insert-path",
        `an offer under a key of ours is answered as ${outcome}`,
      );
      const planted = await scene.surface.plant({ ...offered, key: artifactKey("deleatur-canary-1") }, signal);
      needs(planted.outcome === "planted", planted.outcome === "planted" ? "" : planted.why);
      const stands = { ...gone, key: planted.key, content: planted.content ?? gone.content };
      hold((await scene.read([planted.key])).length === 1, "the canary does not stand under the key that was answered");
      for (const run of seeing(await scene.look([], [stands, kept]))) hold(run.controlsFound > 0, "not found");
    },
  },
  {
    name: "reused-ids",
    says: "where the store gives an erased key again, another person's record under it is no leftover (C22)",
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay({ keys: "made-up", reuse: true });
      const control = await scene.one(await scene.put(record({ accounts: [OTHER] })));
      const gone = await scene.one(await scene.put(record()));
      await scene.erase([gone.key]);
      await scene.purge();
      const again = await scene.put(record({ accounts: [OTHER] }));
      needs(again === gone.key, "the store did not give the key again");
      for (const run of seeing(await scene.look([gone], [control])))
        hold(run.findings.length === 0, `the ${run.name} probe takes another person's record for what is gone`);
      hold((await scene.scan()).length === 2, "not both records that live are scanned");
    },
  },
];

function oddKeys(name: string, what: string, keys: readonly string[]): ConformanceCase {
  return {
    name,
    says: `keys with ${what} are scanned, read, found and erased as they are`,
    demandedBy: byNothing,
    async run({ lay, record }) {
      const scene = await lay();
      const answered = await scene.write(keys.map((key) => record({ key })));
      hold(answered.join("\n") === keys.join("\n"), "the bench wrote under other keys than were given");
      await keepsApart(scene, answered);
    },
  };
}

/** Each is there, each is found by the key probe, and one after the other can be erased without another. */
async function keepsApart(scene: Scene, keys: readonly ArtifactKey[]): Promise<void> {
  const scanned = (await scene.scan()).map(({ key }) => key);
  hold(scanned.length === keys.length && keys.every((key) => scanned.includes(key)), "the scan answers other keys");
  const all = await scene.read(keys);
  hold(all.length === keys.length, "not every key can be read");
  const probes = (): ReturnType<Scene["probes"]> => scene.probes().filter(({ name }) => name === "key");
  needs(probes().length > 0, "the kind has no key probe");
  for (const run of seeing(await scene.look([], all, probes())))
    hold(run.controlsFound === all.length, "not all are found");
  for (const [place, gone] of all.slice(0, -1).entries()) {
    hold((await scene.erase([gone.key]))[0] === "erased", "a key cannot be erased as it is");
    const left = all.slice(place + 1);
    hold((await scene.scan()).length === left.length, "with one key another was erased, or not even the one");
    for (const run of seeing(await scene.look([gone], left, probes())))
      hold(run.findings.length === 0, "an erased key is found where another stands");
  }
}
