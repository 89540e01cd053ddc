// Binds Redis surfaces over real servers as a boundary declares them, for the tests of the adapter.
import { onTestFinished } from "vitest";
import { type BoundSurface, bindSurfaces } from "../../../src/adapters/registry.ts";
import type { BoundaryInput, SurfaceInput } from "../../../src/boundary/boundary-input.ts";
import { defineBoundary } from "../../../src/boundary/parse-boundary.ts";
import { type ArtifactKey, artifactKey, surfaceId } from "../../../src/model/ids.ts";
import type { ContentField } from "../../../src/model/artifact.ts";
import type { Needle } from "../../../src/model/needle.ts";
import { type ProbeRun, runProbes } from "../../../src/probe/run-probes.ts";
import type { Surface } from "../../../src/surface.ts";
import type { RedisServer } from "../../servers/redis-server.ts";

export const signal: AbortSignal = new AbortController().signal;

export function keys(...texts: readonly string[]): readonly ArtifactKey[] {
  return texts.map((text) => artifactKey(text));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The surface `answers` over `cache`, and what else the boundary is to have. Replicas are called `replica-1` and so on. */
export function bindRedis(
  server: RedisServer,
  declaration: Partial<SurfaceInput>,
  more: {
    readonly replicas?: readonly RedisServer[];
    readonly database?: number;
    readonly boundary?: Partial<BoundaryInput>;
    readonly url?: string;
    readonly data?: string;
  } = {},
): BoundSurface {
  const replicas = (more.replicas ?? []).map((replica, at) => [`replica-${at + 1}`, replica.url] as const);
  const url = more.url ?? `${server.url}${more.database === undefined ? "" : `/${more.database}`}`;
  const env: Record<string, string> = { REDIS_URL: url };
  const connect: Record<string, { readonly url: string; readonly data?: string | undefined }> = {
    cache: { url: "${REDIS_URL}", data: more.data },
  };
  for (const [at, [name, replicaUrl]] of replicas.entries()) {
    env[`REPLICA_${at}`] = replicaUrl;
    connect[name] = { url: `\${REPLICA_${at}}` };
  }
  const { surfaces, connect: further, ...rest } = more.boundary ?? {};
  const boundary = defineBoundary(
    {
      deleatur: 1,
      boundary: "tests/redis",
      identifiers: ["account"],
      surfaces: {
        answers: {
          kind: "redis",
          role: "cache",
          store: "cache",
          ...(declaration.pattern === undefined ? { prefix: "answer:" } : {}),
          ...(replicas.length === 0 ? {} : { replicas: replicas.map(([name]) => name) }),
          ...declaration,
        },
        ...surfaces,
      },
      ...rest,
      connect: { ...connect, ...further },
    },
    { directory: "/tmp", env },
  );
  const bound = bindSurfaces(boundary, () => {
    throw new Error("no process takes part here");
  }).find(({ declaration: { id } }) => id === "answers");
  if (bound === undefined) throw new Error("the surface was not bound");
  return bound;
}

export async function openBound(bound: BoundSurface): Promise<Surface> {
  const surface = await bound.open();
  onTestFinished(() => surface.close());
  return surface;
}

export async function openAnswers(...args: Parameters<typeof bindRedis>): Promise<Surface> {
  return openBound(bindRedis(...args));
}

export function needleOf(
  index: number,
  key: string,
  content: readonly ContentField[],
  fate: Needle["fate"] = "erased",
): Needle {
  return { index, ref: { surface: surfaceId("answers"), key: artifactKey(key) }, subjects: [], content, fate };
}

export function textField(text: string, name = "text"): ContentField {
  return { type: "text", name, text };
}

/** All probes of a surface over these needles. */
export async function look(bound: BoundSurface, needles: readonly Needle[]): Promise<readonly ProbeRun[]> {
  return runProbes(bound.probes(), needles, {}, signal);
}
