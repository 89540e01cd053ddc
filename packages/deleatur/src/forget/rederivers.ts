// Finds the function that rewrites a shared artifact from its surviving sources: registered in this process, a command, or an HTTP endpoint.
import { spawn } from "node:child_process";
import type { Engine, Rederiver } from "../engine.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Rederive } from "../model/declaration.ts";
import { artifactId } from "../model/ids.ts";

const LONGEST_TEXT = 1 << 20;

/** The rederiver of a declaration, or undefined where nobody registered it. */
export function findRederiver(engine: Engine, rederive: Rederive | undefined): Rederiver | undefined {
  if (rederive === undefined) return undefined;
  if (typeof rederive === "string") return engine.rederivers.get(rederive);
  return "command" in rederive ? commandRederiver(rederive.command) : httpRederiver(rederive.http);
}

/** What a command or endpoint is given: the surviving sources' text, as JSON. */
function sourcesJson(sources: readonly Artifact[]): string {
  return JSON.stringify(
    sources.map((source) => ({
      artifact: artifactId(source),
      content: Object.fromEntries(
        source.content.flatMap((field) => (field.type === "text" ? [[field.name, field.text]] : [])),
      ),
    })),
  );
}

function commandRederiver([program, ...words]: readonly string[]): Rederiver {
  return (sources, signal) =>
    new Promise((resolve, reject) => {
      const child = spawn(program ?? "", words, { signal, stdio: ["pipe", "pipe", "ignore"] });
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > LONGEST_TEXT) child.kill();
        else chunks.push(chunk);
      });
      child.on("error", reject);
      child.on("close", (code) => {
        if (code === 0) resolve(Buffer.concat(chunks).toString("utf8").trimEnd());
        else reject(new Error(`the rederive command ended with code ${String(code)}`));
      });
      // A command that does not read its input is no fault of ours: its exit code decides.
      child.stdin.on("error", () => undefined);
      child.stdin.end(sourcesJson(sources));
    });
}

function httpRederiver(url: string): Rederiver {
  return async (sources, signal) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: sourcesJson(sources),
      signal,
    });
    if (!answer.ok) throw new Error(`the rederive endpoint answered ${answer.status}`);
    const text = await answer.text();
    if (text.length > LONGEST_TEXT) throw new Error("the rederive endpoint answered too long a text");
    return text;
  };
}
