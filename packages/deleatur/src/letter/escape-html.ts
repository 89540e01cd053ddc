// Makes hostile text safe to stand in HTML. Every value that comes from a receipt or an operator passes here; templates never do.

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes for element content and quoted attributes; control and format characters (bidi overrides, zero-width marks) become spaces. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Escaped text of another hand (a label, a ground), kept from reordering or outgrowing what stands around it. */
export function escapeForeign(text: string, maxCharacters: number = 200): string {
  const characters = Array.from(text.trim());
  const cut =
    characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join("")}…` : characters.join("");
  return `<bdi>${escapeHtml(cut)}</bdi>`;
}
