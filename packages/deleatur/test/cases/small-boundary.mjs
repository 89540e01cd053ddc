// The boundary of the scenes' two tables, for processes of their own; it must declare the same as scene.ts does.
import { defineBoundary } from "../../dist/index.js";

export function declaredBoundary(directory, policy = { shared: "destroy" }, further = {}) {
  return defineBoundary(
    {
      deleatur: 1,
      boundary: "cases/agent",
      identifiers: ["account"],
      writers: "sdk",
      surfaces: {
        episodes: {
          kind: "sqlite",
          role: "primary",
          store: "memory",
          table: "episodes",
          key: "id",
          subject: { column: "account", type: "account" },
          content: ["text"],
        },
        summaries: {
          kind: "sqlite",
          role: "derived",
          store: "memory",
          table: "summaries",
          key: "id",
          content: ["text"],
          derivedFrom: { surface: "episodes", column: "source_ids", as: "json" },
          ...policy,
        },
        ...further,
      },
      connect: { ledger: "sqlite:./deleatur.db", memory: { file: "./memory.db" } },
    },
    { directory, env: {} },
  );
}
