// What is said between the process that forgets and those that hold memory, as JSON inside a seal. Types and their encoding only.
import { textOf, utf8 } from "@deleatur/verify";
import type { Artifact } from "../model/artifact.ts";
import { artifactKey, type ArtifactKey, type SubjectIdentifier, type SurfaceId, surfaceId } from "../model/ids.ts";
import { decodeField, type EncodedField, encodeField } from "../record/encode-field.ts";

/** `call`: only answer. `list`: what is held (of these keys). `evict`: let go, then list afresh. */
export type OrderBody =
  | { readonly act: "call" }
  | { readonly act: "list"; readonly keys?: readonly string[]; readonly asLook: boolean }
  | { readonly act: "evict"; readonly keys: readonly string[] };

export interface Ordered {
  readonly body: OrderBody;
  /** The asker's public key for the answer, base64. */
  readonly replyTo: string;
}

export type BlindWhy = "ENTRIES_FAILED" | "CANARY_UNSEEN" | "SHOWS_NOTHING";

/** The last part of every answer. */
export interface AnswerEnd {
  /** Keys that are listed after they were to be let go of, each with a code. */
  readonly left: readonly (readonly [string, string])[];
  /** Why what was listed proves nothing. */
  readonly blind?: BlindWhy;
}

export type AnswerPart = { readonly entries: readonly EncodedArtifact[] } | { readonly end: AnswerEnd };

export interface EncodedArtifact {
  readonly key: string;
  readonly subjects: readonly SubjectIdentifier[];
  readonly sources: readonly { readonly surface: string; readonly key: string }[];
  readonly content: readonly EncodedField[];
  /** When it expires by itself, in ms. */
  readonly expires?: number;
}

export function encodeArtifact({ key, subjects, sources, content, expires }: Artifact): EncodedArtifact {
  return {
    key,
    subjects: subjects.map(({ type, value }) => ({ type, value })),
    sources: sources.map((source) => ({ surface: source.surface, key: source.key })),
    content: content.map(encodeField),
    ...(expires === undefined ? {} : { expires: expires.getTime() }),
  };
}

export function decodeArtifact(surface: SurfaceId, encoded: EncodedArtifact): Artifact {
  return {
    surface,
    key: artifactKey(encoded.key),
    subjects: encoded.subjects,
    sources: encoded.sources.map((source) => ({ surface: surfaceId(source.surface), key: artifactKey(source.key) })),
    content: encoded.content.map(decodeField),
    ...(encoded.expires === undefined ? {} : { expires: new Date(encoded.expires) }),
  };
}

export function encodeMessage(message: Ordered | AnswerPart): Uint8Array {
  return utf8(JSON.stringify(message));
}

/** What a process of ours sealed: its shape is ours. */
export function decodeOrder(bytes: Uint8Array): Ordered {
  const order: Ordered = JSON.parse(textOf(bytes));
  return order;
}

export function decodePart(bytes: Uint8Array): AnswerPart {
  const part: AnswerPart = JSON.parse(textOf(bytes));
  return part;
}

export const orderPlace = (order: string): string => `participant_orders/${order}`;
export const answerPlace = (order: string, part: number): string => `participant_answers/${order}/${part}`;

/** Whether an artifact is among the asked ones. */
export function isAsked(key: ArtifactKey, keys: ReadonlySet<string> | undefined): boolean {
  return keys === undefined || keys.has(key);
}
