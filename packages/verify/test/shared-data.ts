// Finds the shared vectors beside the repository. Missing: skips loudly on a laptop, fails in CI.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../../shared/data/", import.meta.url);

/** Whether a folder of ../shared/data is there; says what to do where it is not. @throws in CI */
export function hasSharedData(folder: string): boolean {
  const path = fileURLToPath(new URL(folder, ROOT));
  if (existsSync(path)) return true;
  const cure = `test vectors are missing: put the shared data folder at ${fileURLToPath(ROOT)} (wanted: ${folder})`;
  if (process.env["CI"] !== undefined && process.env["CI"] !== "") throw new Error(cure);
  console.warn(`SKIPPED, ${cure}`);
  return false;
}

export function sharedBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, ROOT)));
}

/** A file's text; `whenMissing` is for bodies of suites that are skipped, which are run all the same to collect their tests. */
export function sharedText(path: string, whenMissing?: string): string {
  const url = new URL(path, ROOT);
  return whenMissing !== undefined && !existsSync(url) ? whenMissing : readFileSync(url, "utf8");
}

export function sharedFiles(folder: string): readonly string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
}
