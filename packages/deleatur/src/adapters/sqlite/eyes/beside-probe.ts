// Reads a file that stands beside a database and that nobody declared: all of its bytes, none of them explained by what lives in it.
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../../model/needle.ts";
import { createByteMatcher } from "../../../probe/byte-matcher.ts";
import type { Probe } from "../../../surface.ts";

export function besideProbe(container: string, folder: string, file: string): Probe {
  return {
    name: "bytes",
    depth: "bytes",
    scope: `bytes:${container}`,
    async *look(needles, signal): AsyncGenerator<Finding> {
      if (needles.length === 0) {
        accessSync(join(folder, file), constants.R_OK);
        return;
      }
      for await (const { needle, offset, bytes } of createByteMatcher(needles).scanFile(join(folder, file), signal))
        yield {
          probe: "bytes",
          depth: "bytes",
          needle,
          place: { container, file, offset },
          match: { how: "bytes", bytes },
        };
    },
    close: () => Promise.resolve(), // each look closes the file that it opened
  };
}
