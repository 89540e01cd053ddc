// Folds text so that one wording has one form, whatever its case, composition, quotes, dashes or spacing; changes no text that is stored.

/** Accents, apostrophes and marks that stand between letters without being part of a word; before NFKC, which would turn some into combining marks. */
const APOSTROPHES = /[\u0060\u00b4\u02b9-\u02bc\u2018-\u201b\u2032\u2035\uff07]/gu;
/** Characters that show nothing: soft hyphen, zero-width ones, direction marks, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * A word is a run of letters and digits with their combining marks. Scripts that are written without spaces have no such runs:
 * there every character is a word of its own, so that no dictionary, and none of its versions, decides what is found.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}])(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}])*/gu;
// Text in printable ASCII takes a way of its own, many times faster, with the same result.
const PLAIN = /^[\t\n\r\x20-\x7e]*$/u;
const PLAIN_WORD = /[a-z0-9]+/g;

/** NFKC, with apostrophes of every kind made one before it and again after it, since it makes some of other characters. */
function compose(text: string): string {
  const plain = text.replace(APOSTROPHES, "'").replace(INVISIBLE, "");
  return plain.normalize("NFKC").replace(APOSTROPHES, "'").replace(INVISIBLE, "");
}

/** Lower, upper, lower: so ẞ and ß fold to ss as well; both sigmas are one. NFKC again, since case mapping can take text out of it. */
function foldCase(text: string): string {
  return compose(compose(text).toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ"));
}

/** The normalised words of a text, in order. Stable: the same for equal text in every process and every version of this format. */
export function normaliseWords(text: string): string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return foldCase(text).match(WORD) ?? [];
}

/** The same words one by one, for a text of which no list of all words should be made. */
export function* eachWord(text: string): Generator<string> {
  for (const [word] of foldCase(text).matchAll(WORD)) yield word;
}

/** One form for all trivial edits of a text (case, white space, punctuation, quotes, NFC or NFD); a text without words folds to its visible characters. */
export function foldText(text: string): string {
  const words = normaliseWords(text);
  if (words.length > 0) return words.join(" ");
  return compose(foldCase(text).replace(/\s+/gu, ""));
}
