// Canaries: content about nobody, made by chance, that must be found or let in where real eyes and doors are tested.
import type { ContentField } from "../model/artifact.ts";
import type { SubjectIdentifier } from "../model/ids.ts";

/** What keys and identifiers of canaries begin with. */
export const CANARY_PREFIX = "deleatur-canary-";

export function isCanaryIdentifier({ value }: SubjectIdentifier): boolean {
  return value.startsWith(CANARY_PREFIX);
}

const HEAD = 8;

/** What a canary is known by before it is planted: a store may take fewer numbers of its vector than it was made with. */
export function headOf(field: ContentField): ContentField {
  return field.type === "vector" ? { ...field, vector: field.vector.slice(0, HEAD) } : field;
}

const SYLLABLES = ["ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pa", "re", "so", "ti", "vu", "wa", "xe", "zo"];
const WORDS = 12;

/** Twelve made-up words of six syllables: 288 bits of chance, like no text that anybody wrote. */
export function canaryText(random: (bytes: number) => Uint8Array): string {
  const words = Array.from({ length: WORDS }, () => [...random(6)].map((byte) => SYLLABLES[byte & 15]).join(""));
  return words.join(" ");
}
