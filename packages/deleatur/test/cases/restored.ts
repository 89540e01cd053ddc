// A backup of files of a scene, and its restoring: an operator's copy, made while nothing writes.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Scene, tempFolder } from "./scene.ts";

/** What an operator's backup has of these names; answers the act that puts it back over a closed memory. */
export function backUp({ directory, app }: Scene, names: readonly string[]): () => void {
  app.pragma("wal_checkpoint(TRUNCATE)");
  const backup = tempFolder();
  const files = (folder: string): readonly string[] =>
    readdirSync(folder).filter((file) => names.some((name) => file === name || file.startsWith(`${name}-`)));
  for (const file of files(directory)) cpSync(join(directory, file), join(backup, file), { recursive: true });
  return () => {
    for (const file of files(directory)) rmSync(join(directory, file), { recursive: true });
    for (const file of files(backup)) cpSync(join(backup, file), join(directory, file), { recursive: true });
  };
}

export async function restored(scene: Scene, restore: () => void): Promise<void> {
  await scene.memory.close();
  scene.app.close();
  restore();
  await scene.reopen();
}
