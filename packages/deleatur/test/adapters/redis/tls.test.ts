// A Redis over TLS: the hands by their client and the eyes by their own socket trust the authority that Node is given, and no other.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../servers/free-port.ts";
import { makeCertificates } from "../../servers/make-certificates.ts";
import { isRedisMissing, startRedis } from "../../servers/redis-server.ts";

/** Node takes an authority when it starts, so the program is run as a user runs it. */
const PROGRAM = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const BOUNDARY = `deleatur: 1
boundary: tests/tls
identifiers: [account]
surfaces:
  answers: { kind: redis, role: primary, store: cache, prefix: "answer:", content: [text], subject: { field: user, type: account } }
connect:
  ledger: sqlite:./deleatur.db
  cache: { url: "\${REDIS_URL}" }
`;

describe.skipIf(isRedisMissing)("a Redis over TLS", () => {
  it("is read, and its files are looked at, under its authority; under another it is out of reach", async () => {
    const { authority, otherAuthority, certificate, key } = makeCertificates();
    const port = await freePort();
    const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", authority];
    const server = await startRedis({
      persistence: "both",
      args: ["--tls-port", String(port), "--tls-auth-clients", "no", ...files],
    });
    await server.send("HSET", "answer:1", "user", "s-1", "text", "the violet accordion");
    const folder = mkdtempSync(join(tmpdir(), "deleatur-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "deleatur.yaml"), BOUNDARY);
    const check = (trusted: string): unknown => {
      const env = { ...process.env, REDIS_URL: `rediss://localhost:${port}`, NODE_EXTRA_CA_CERTS: trusted };
      const { stdout } = spawnSync(process.execPath, [PROGRAM, "check", "--json"], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      return JSON.parse(stdout);
    };
    expect(check(authority)).toMatchObject({
      surfaces: [{ surface: "answers", isReachable: true, rows: 1 }],
      hindered: [],
      purges: [{ surfaces: ["answers"] }],
    });
    expect(check(otherAuthority)).toMatchObject({
      surfaces: [{ isReachable: false, why: expect.stringContaining("STORE_UNTRUSTED") }],
    });
  });
});
