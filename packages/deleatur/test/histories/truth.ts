// What the histories know for certain: who said what, and whose a text is. It asks nothing of the engine and reads no store.
import { type Randomness, seededRandomness } from "./random-numbers.ts";

export interface Person {
  readonly index: number;
  /** The bare value, a word that stands nowhere else. */
  readonly value: string;
  /** `account:value`. */
  readonly identifier: string;
  /** The requests by which the person is forgotten: nothing about them is written until a lift. */
  readonly shutOut: Set<string>;
  /** Named past everybody after the last look of a running request: that request could not see it. */
  isLate: boolean;
}

/** One text of words that stand in no other text, and its embedding. */
export interface Utterance {
  readonly index: number;
  readonly words: readonly string[];
  readonly text: string;
  readonly vector: Float32Array;
  /** Persons who said it under their own name; none where nobody did. */
  readonly owners: Set<number>;
  /** The records of first hand that it was written under, as `episodes/1`, each with whom it was written for, by index. */
  readonly records: Map<string, number | undefined>;
  /** Of these, where other words stand beside it. */
  readonly inPart: Set<string>;
  /** The requests after which it must not come in again, until lifted. */
  readonly shutOut: Set<string>;
  /** The places, as `episodes/1`, from which it was erased for good. */
  readonly erasedFrom: Set<string>;
  /** Its entries were lifted: it may come again, and be erased again. */
  wasLifted: boolean;
  /** A review let it in, or it may come for good: no door is expected to be shut to it. */
  isAllowed: boolean;
  /** Put back past the guard under nobody's name after a request had erased it. */
  isBack: boolean;
  /** Of that so few words that the guard does not know them (docs/threat-model.md). */
  isCutShort: boolean;
  /** A review kept a likeness of it as lawful: it is no longer looked for. */
  isExcused: boolean;
  /** Written past everybody after the last look of a running request: that request could not see it. */
  isLate: boolean;
}

export type Target =
  { readonly kind: "person"; readonly person: number } | { readonly kind: "record"; readonly record: string };

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const WORD_LENGTH = 11;
/** A full-text index cuts what a word has in common with its neighbour: the end of a word stays. */
const TAIL_LENGTH = 7;
export const PEOPLE = 3;
const WORDS = 10;
const DIMENSIONS = 16;

export function tailOf(word: string): string {
  return word.slice(-TAIL_LENGTH);
}

export class Truth {
  readonly people: readonly Person[];
  readonly utterances: Utterance[] = [];
  readonly #random: Randomness;
  readonly #tails = new Set<string>();

  constructor(seed: number) {
    this.#random = seededRandomness(seed);
    this.people = Array.from({ length: PEOPLE }, (_, index) => {
      const value = this.#newWord();
      return { index, value, identifier: `account:${value}`, shutOut: new Set(), isLate: false };
    });
  }

  person(index: number): Person {
    const person = this.people[index % PEOPLE];
    if (person === undefined) throw new Error("there is no such person");
    return person;
  }

  utterance(index: number): Utterance {
    const utterance = this.utterances[index % this.utterances.length];
    if (utterance === undefined) throw new Error("nothing was said yet");
    return utterance;
  }

  newUtterance(): Utterance {
    const words = Array.from({ length: WORDS }, () => this.#newWord());
    const utterance: Utterance = {
      index: this.utterances.length,
      words,
      text: words.join(" "),
      vector: Float32Array.from({ length: DIMENSIONS }, () => this.#random.next() * 2 - 1),
      owners: new Set(),
      records: new Map(),
      inPart: new Set(),
      shutOut: new Set(),
      erasedFrom: new Set(),
      wasLifted: false,
      isAllowed: false,
      isBack: false,
      isCutShort: false,
      isExcused: false,
      isLate: false,
    };
    this.utterances.push(utterance);
    return utterance;
  }

  /** What a request cannot know: too little of it came back, or what keeps it out was lifted. */
  isUnknowable({ isBack, isCutShort, shutOut }: Utterance): boolean {
    return isBack && (isCutShort || shutOut.size === 0);
  }

  /** What is the target's and nobody else's. Of a record: also where it stands again, word for word, in others of the same person. */
  ofTarget(target: Target): readonly Utterance[] {
    return this.utterances.filter(({ owners, records, inPart }) =>
      target.kind === "person"
        ? owners.size === 1 && owners.has(target.person)
        : records.has(target.record) &&
          [...records].every(
            ([record, whose]) =>
              record === target.record ||
              (!inPart.has(record) && whose !== undefined && whose === records.get(target.record)),
          ),
    );
  }

  /** The records that were written for a person, those that stand no more too. */
  recordsOf(person: number): readonly string[] {
    return this.utterances.flatMap(({ records }) =>
      [...records].flatMap(([record, whose]) => (whose === person ? [record] : [])),
    );
  }

  /** All that somebody else than the target has a part in. */
  ofOthers(target: Target): readonly Utterance[] {
    const own = new Set(this.ofTarget(target));
    return this.utterances.filter((utterance) => !own.has(utterance));
  }

  #newWord(): string {
    for (;;) {
      const word = Array.from({ length: WORD_LENGTH }, () => LETTERS[this.#random.below(26)]).join("");
      if (this.#tails.has(tailOf(word))) continue;
      this.#tails.add(tailOf(word));
      return word;
    }
  }
}
