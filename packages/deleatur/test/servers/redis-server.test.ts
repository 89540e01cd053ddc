// Both servers that the adapter is for can be started here; where one is missing its tests are left out, and this one says so.
import { describe, expect, it } from "vitest";
import { ALL_BINARIES, isMissing, startRedis } from "./redis-server.ts";

for (const binary of ALL_BINARIES)
  describe.skipIf(isMissing(binary))(`a ${binary} of the tests`, () => {
    it("is started, is what it is called, and keeps its files to itself", async () => {
      const server = await startRedis({ binary, persistence: "rdb" });
      const info = await server.text("INFO", "server");
      expect(info.includes("server_name:valkey")).toBe(binary === "valkey-server");
      await server.send("SET", "key", "a value that is looked for");
      await server.send("SAVE");
      expect(server.files()).toEqual(["dump.rdb"]);
    });
  });
