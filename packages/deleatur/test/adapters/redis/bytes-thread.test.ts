// The byte probe of a real Redis on a thread of its own, from the build, beside the same probe in its turn. Needs `npm run build`.
import { describe, expect, it } from "vitest";
import { bytesProbe } from "../../../src/adapters/redis/eyes/bytes-probe.ts";
import type { BytesOrder } from "../../../src/adapters/redis/eyes/look-at-bytes.ts";
import { lookOnThread } from "../../../src/probe/bytes-thread.ts";
import { runProbes } from "../../../src/probe/run-probes.ts";
import { isRedisMissing, startRedis } from "../../servers/redis-server.ts";
import { needleOf, signal, textField } from "./open-redis.ts";

const BUILT = new URL("../../../dist/adapters/redis/eyes/look-on-thread.js", import.meta.url);
const GONE = 30;

const words = (id: number): string => Array.from({ length: 40 }, (_, at) => `heron${id}x${at * at}`).join(" ");

describe.skipIf(isRedisMissing)("a thread that looks at the bytes of Redis", () => {
  it("C02: finds what the probe finds in its turn, and leaves a server that does not let it in to that", async () => {
    const server = await startRedis({ persistence: "aof" });
    for (let id = 0; id <= GONE; id += 1) await server.send("SET", `answer:${id}`, words(id));
    for (let id = 0; id < GONE; id += 1) await server.send("DEL", `answer:${id}`);
    const needles = Array.from({ length: GONE + 1 }, (_, id) =>
      needleOf(id, `answer:${id}`, [textField(words(id))], id === GONE ? "control" : "erased"),
    );
    const target = { name: "cache", url: server.url, database: 0, data: undefined };
    let threads = 0;
    const seenBy = async (databaseOfThread?: number): Promise<unknown> => {
      const probe = bytesProbe(target, (order) => {
        if (databaseOfThread === undefined) return undefined;
        threads += 1;
        const elsewhere: BytesOrder = { ...order, target: { ...target, database: databaseOfThread } };
        return lookOnThread(target.name, elsewhere, BUILT);
      });
      const [run] = await runProbes([probe], needles, {}, signal);
      return [run?.status, run?.controlsFound, run?.findings.map(({ needle }) => needle).toSorted((a, b) => a - b)];
    };
    const inTurn = await seenBy();
    expect(inTurn).toEqual(["ran", 1, Array.from({ length: GONE }, (_, id) => id)]);
    expect(await seenBy(0)).toEqual(inTurn);
    expect(await seenBy(9_999)).toEqual(inTurn);
    expect(threads).toBe(2);
  });
});
