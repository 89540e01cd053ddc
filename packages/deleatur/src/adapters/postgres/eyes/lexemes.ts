// Puts the words of a tsvector back into their order: it holds each word of a text once with all its places, so that nothing of the text itself is to be seen in it. Pure.

/** `'word':2,5A 'other':1`, a quote in a word doubled and a backslash, too. https://www.postgresql.org/docs/current/datatype-textsearch.html */
const LEXEME = /'((?:[^'\\]|''|\\\\)*)'(?::([\d,ABCD]+))?/g;

/** The words as the text had them, as far as the vector knows where they stood; those of which it does not stand in front. */
export function textOfLexemes(vector: string): string {
  const words: { readonly word: string; readonly place: number }[] = [];
  for (const [, quoted = "", places = "0"] of vector.matchAll(LEXEME)) {
    const word = quoted.replaceAll("''", "'").replaceAll("\\\\", "\\");
    for (const place of places.split(",")) words.push({ word, place: Number.parseInt(place, 10) });
  }
  return words
    .toSorted((a, b) => a.place - b.place)
    .map(({ word }) => word)
    .join(" ");
}
