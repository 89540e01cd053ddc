// Makes certificates for a server under test by openssl: an authority of its own, a certificate for `localhost` that it vouches for, and another authority that does not.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface Certificates {
  readonly authority: string;
  readonly otherAuthority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Paths of files that end with the test. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "deleatur-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: folder });
    if (status !== 0) throw new Error(`openssl: ${String(stderr)}`);
  };
  const newKey = ["-newkey", "rsa:2048", "-nodes"];
  for (const name of ["ours", "others"])
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
    );
  const forHost = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  openssl("req", ...newKey, ...forHost, "-keyout", "server.key", "-out", "server.csr");
  const signed = ["-CA", "ours.crt", "-CAkey", "ours.key", "-CAcreateserial", "-copy_extensions", "copy", "-days", "2"];
  openssl("x509", "-req", "-in", "server.csr", ...signed, "-out", "server.crt");
  return {
    authority: join(folder, "ours.crt"),
    otherAuthority: join(folder, "others.crt"),
    certificate: join(folder, "server.crt"),
    key: join(folder, "server.key"),
  };
}
