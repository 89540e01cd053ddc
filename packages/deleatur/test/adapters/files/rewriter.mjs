// A process of its own for the tests: erases keys of a JSONL file through the built adapter. Arguments: folder, pattern, keys as JSON.
import { jsonlFiles } from "../../../dist/adapters/files/index.js";

const [, , folder, pattern, keys] = process.argv;
const declaration = {
  id: "transcripts",
  kind: "jsonl",
  role: "transcript",
  label: "transcripts",
  store: "logs",
  key: ["id"],
  keys: "unique",
  subject: [],
  content: [{ column: "text", as: "text" }],
  derivedFrom: [],
  maps: [],
  writers: "sdk",
  purge: { method: "auto" },
  replicas: [],
};
const connection = { type: "files", name: "logs", glob: `${folder}/${pattern}` };
const boundary = {
  surfaces: [declaration],
  connect: { ledger: `${folder}/deleatur.db`, stores: new Map([["logs", connection]]) },
  source: { file: undefined, directory: folder },
};
const surface = await jsonlFiles.open(jsonlFiles.parse({ declaration, connections: [connection], boundary }));
process.stdout.write("open\n");
const outcomes = [];
for (const key of JSON.parse(keys)) outcomes.push(...(await surface.erase([key], new AbortController().signal)));
process.stdout.write(`${JSON.stringify(outcomes.map(({ outcome }) => outcome))}\n`);
