// A process of its own that files one fingerprint and one denylist entry: node file-entries.mjs LEDGER GRAM DIGEST.
import { randomBytes } from "node:crypto";
import { openKeys } from "../../dist/ledger/open-keys.js";
import { openLedger } from "../../dist/ledger/open-ledger.js";

const [file, gram, digest] = process.argv.slice(2);
const random = (bytes) => new Uint8Array(randomBytes(bytes));
const ledger = openLedger({ file, keys: openKeys({ file, environment: {}, random }), clock: () => new Date(), random });
const request = randomBytes(16).toString("hex");
ledger.putFingerprints([{ request, owners: [], grams: [{ gram: Number(gram), runs: [1] }] }]);
ledger.addDenylist(request, [{ kind: "exact", digest: Buffer.from(digest, "hex"), shared: false, owners: [] }]);
ledger.close();
