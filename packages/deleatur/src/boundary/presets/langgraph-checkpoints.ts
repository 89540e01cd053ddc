// What LangGraph's checkpoint savers have in common, whatever the store: names of tables and columns only.
import type { SurfaceInput } from "../boundary-input.ts";

export const THREAD_KEY: readonly string[] = ["thread_id", "checkpoint_ns"];
export const CHECKPOINT_KEY: readonly string[] = [...THREAD_KEY, "checkpoint_id"];
export const WRITE_KEY: readonly string[] = [...CHECKPOINT_KEY, "task_id", "idx"];

export const THREAD_NOTES: readonly string[] = [
  "a thread is no person: give each person's threads, or declare a surface with maps from account to thread",
];

type Saver = "sqlite" | "postgres";

export function checkpointsSurface(kind: Saver, type: string): SurfaceInput {
  return {
    kind,
    role: "primary",
    label: "conversation states",
    table: "checkpoints",
    key: CHECKPOINT_KEY,
    subject: { column: "thread_id", type },
    content: [
      { column: "checkpoint", as: "json" },
      { column: "metadata", as: "json" },
    ],
  };
}

export function writesSurface(kind: Saver, type: string, table: string, content: string): SurfaceInput {
  return {
    kind,
    // What a task said, before it is the value of a channel and when it never becomes one (a question to the person): first hand like the values.
    role: "transcript",
    label: "pending conversation writes",
    table,
    key: WRITE_KEY,
    subject: { column: "thread_id", type },
    content: { column: content, as: "json" },
  };
}
