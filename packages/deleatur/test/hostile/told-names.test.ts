// Names of files that may be a person's words or name: told on the operator's terminal, never signed, logged or kept.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openScene, S, S_SAYS } from "../cases/scene.ts";

it("PRIVACY-1 VERDICT-5: the name of a file that nobody declared is told, and neither signed nor kept in the ledger", async () => {
  const name = "The violet accordion of Wendeline Ottenwald.txt";
  const scene = await openScene({
    surfaces: {
      notes: {
        kind: "jsonl",
        role: "primary",
        store: "notes",
        key: "id",
        subject: { field: "user", type: "account" },
        content: ["text"],
      },
    },
    connect: { notes: { path: "./notes/*.jsonl" } },
    before: (directory) => {
      mkdirSync(join(directory, "notes"));
      writeFileSync(join(directory, "notes", "a.jsonl"), JSON.stringify({ id: "s1", user: "s-4471", text: S_SAYS[1] }));
      writeFileSync(join(directory, "notes", name), "anything");
    },
  });
  await scene.memory.scan();
  const outcome = await scene.memory.forget({ subject: [S], now: true });
  const [told] = outcome.reasons;
  expect(told).toMatchObject({ code: "UNDECLARED_CONTAINER", surface: `notes.${name}` });
  await scene.memory.close();
  const kept = readdirSync(scene.directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("notes"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  expect(kept.filter((bytes) => bytes.includes("Wendeline"))).toEqual([]);
  const receipt = JSON.parse(readFileSync(outcome.receipt ?? "", "utf8")) as { envelope: { payload: string } };
  const signed = Buffer.from(receipt.envelope.payload, "base64").toString("utf8");
  expect(signed).toMatch(/"surface":"notes\.#[0-9a-f]{16}"/);
  expect(signed).not.toContain("Wendeline");
});
