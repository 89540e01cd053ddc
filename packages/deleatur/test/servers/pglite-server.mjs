// A PostgreSQL in WebAssembly with pgvector, over a socket: `pglite-server.mjs FOLDER PORT`. Says "ready" when it answers, and ends with its parent's pipe.
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const [, , folder, port] = process.argv;
const db = await PGlite.create({ dataDir: folder, extensions: { vector } });
const server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: Number(port), maxConnections: 20 });
await server.start();
process.stdout.write("ready");
process.stdin.resume().on("end", () => process.exit());
