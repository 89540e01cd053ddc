// Spells Redis keys, which are bytes, as texts: what is UTF-8 stands for itself, everything else in hex behind a mark. Pure; no two keys have one spelling.

const BYTES_MARK = "bytes:";

/** The key as an artifact's key; also the empty key, and one that begins like the mark itself, have a spelling of their own. */
export function spellKey(key: Buffer): string {
  const text = key.toString("utf8");
  // Only what is no UTF-8 is read as the character that stands for it.
  const isUtf8 = !text.includes("\ufffd") || Buffer.from(text, "utf8").equals(key);
  const isText = text !== "" && !text.startsWith(BYTES_MARK) && isUtf8;
  return isText ? text : `${BYTES_MARK}${key.toString("hex")}`;
}

/** The bytes of a spelled key; undefined where nothing is spelled so. */
export function unspellKey(spelled: string): Buffer | undefined {
  if (!spelled.startsWith(BYTES_MARK)) return spelled === "" ? undefined : Buffer.from(spelled, "utf8");
  const hex = spelled.slice(BYTES_MARK.length);
  const key = Buffer.from(hex, "hex");
  return key.toString("hex") === hex && spellKey(key) === spelled ? key : undefined;
}

/** Whether the spelling is the key's own text: an argument that the client sends in one piece with the rest of a command. */
export function isSpelledAsText(spelled: string): boolean {
  return !spelled.startsWith(BYTES_MARK);
}
