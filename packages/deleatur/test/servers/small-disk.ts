// A file system of few megabytes that a test can fill to its last block. Where this user may not mount one the tests skip, and say so.
import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface SmallDisk {
  /** The mount point. */
  readonly directory: string;
  /** Takes every block that is free. */
  fill(): void;
  free(): void;
  /** From now on it may be written, or only be read. */
  mayBeWritten(isIt: boolean): void;
}

function mount(directory: string, megabytes: number): boolean {
  return (
    process.platform === "linux" &&
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", directory], { stdio: "ignore" })
      .status === 0
  );
}

function unmount(directory: string): void {
  // Lazily: what a server of the test still holds goes with it.
  spawnSync("umount", ["-l", directory], { stdio: "ignore" });
  rmSync(directory, { recursive: true, force: true });
}

function mayMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "deleatur-mount-"));
  try {
    return mount(directory, 1);
  } finally {
    unmount(directory);
  }
}

/** True where no disk can be made: its tests skip. */
export const isDiskMissing: boolean = !mayMount();
if (isDiskMissing)
  process.stderr.write("\nSKIPPED: tests of a full disk, run them as root on Linux, where a tmpfs may be mounted\n");

/** Mounts one that goes with the test. */
export function smallDisk(megabytes: number): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), "deleatur-disk-"));
  if (!mount(directory, megabytes)) throw new Error("the disk could not be mounted");
  onTestFinished(() => unmount(directory));
  const filler = join(directory, ".filler");
  return {
    directory,
    fill() {
      const handle = openSync(filler, "a");
      const block = Buffer.alloc(65_536);
      for (let size = block.length; size > 0;) {
        try {
          if (writeSync(handle, block, 0, size) < size) size >>= 1;
        } catch (cause) {
          if (!(cause instanceof Error && "code" in cause && cause.code === "ENOSPC")) throw cause;
          size >>= 1;
        }
      }
      fsyncSync(handle);
      closeSync(handle);
    },
    free: () => rmSync(filler, { force: true }),
    mayBeWritten(isIt) {
      const { status } = spawnSync("mount", ["-o", `remount,${isIt ? "rw" : "ro"}`, directory]);
      if (status !== 0) throw new Error("the disk could not be mounted anew");
    },
  };
}
