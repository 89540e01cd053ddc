// The letter: what each kind of receipt may say in each language, and what a hostile receipt cannot do.
import { ERASURE_PREDICATE, type Receipt, toBase64, utf8 } from "@deleatur/verify";
import { describe, expect, it } from "vitest";
import { composeLetter } from "../../src/letter/compose-letter.ts";
import { REASON_GROUPS, reasonGroup } from "../../src/letter/reason-group.ts";
import { sampleErasure, sampleTombstone, sampleWithheld } from "./sample-receipts.ts";

const LANGUAGES = ["en", "de", "fr"] as const;
const NOW = new Date("2026-12-01T10:00:00Z");
const CODE = "ABCDEFG-".repeat(8).slice(0, -1);

/** What only an erasure's letter says, and what must stand in every other. */
const CLAIMS = {
  en: {
    erased: /has been erased|have been erased|Complete:|Nothing was found|nothing found/,
    denial: "does not confirm that",
  },
  de: {
    erased: /sind gelöscht|Abgeschlossen|nichts (mehr )?gefunden|Was gelöscht wurde/,
    denial: "bestätigt nicht, dass",
  },
  fr: {
    erased: /été effacés|été effacées|Terminée|Rien n’a été trouvé|plus rien n’a/,
    denial: "ne confirme pas la disparition",
  },
} as const;

const letter = (
  receipt: Receipt,
  lang: (typeof LANGUAGES)[number],
  more: { personCode?: string; controller?: string } = {},
) => composeLetter(receipt, { lang, now: NOW, ...more });

const KINDS = [
  ["tombstone", sampleTombstone],
  ["withheld", sampleWithheld],
] as const;

describe.each(LANGUAGES)("a letter in %s", (lang) => {
  it("says what was erased, by plain label and count, and what was rewritten", () => {
    const html = letter(sampleErasure(), lang);
    expect(html).toMatch(CLAIMS[lang].erased);
    expect(html).not.toContain(CLAIMS[lang].denial);
    expect(html).toMatch(/conversation memory<\/bdi><\/th><td class="number">2<\/td>/);
    expect(html).toMatch(/shared summaries<\/bdi><\/th><td class="number">–<\/td><td class="number">1<\/td>/);
  });

  it("names gone-by dates, grounds, rights and the way to check it", () => {
    const html = letter(sampleErasure(), lang, { personCode: CODE, controller: "Lindenhof eG" });
    expect(html).toMatch(/30(th)?\.? (November|novembre) 2026, 15:00 UTC/);
    expect(html).toContain("append-only, ids and amounts");
    expect(html).toMatch(/[Aa]rt\. 77/);
    expect(html).toMatch(/[Aa]rt\. 79/);
    expect(html).toContain("deleatur verify");
    expect(html.replace("<br>", "")).toContain(CODE);
    expect(html).toContain("Lindenhof eG");
    expect(html).not.toContain("undefined");
    // What goes into the file that the command names, in the form that the command reads, and only where it names one.
    expect(html).toMatch(/<p class="note">IDENTIFIERS\.txt [^<]*email:[a-z]+@example\.org/);
    expect(letter(sampleErasure(), lang)).not.toContain("IDENTIFIERS.txt");
  });

  it.each(KINDS)("VERDICT-5, VERIFY-2: of a %s receipt never reads as an erasure", (_, sample) => {
    const html = letter(sample(), lang, { personCode: CODE });
    expect(html).not.toMatch(CLAIMS[lang].erased);
    expect(html).toContain(CLAIMS[lang].denial);
    expect(html).toMatch(/[Aa]rt\. 12(\(4\)| Abs\. 4|, § 4)/);
  });

  it("FORGET-2, ATTEST-2: counts records of an uncovered location as open, with reason and deadline", () => {
    const html = letter(sampleTombstone(), lang);
    expect(html).toMatch(/shared summaries<\/bdi><\/th>(<td class="number">–<\/td>){2}<td class="number">1<\/td>/);
    expect(html).toMatch(/31\.? (December|Dezember|décembre) 2026/);
  });

  it("ATTEST-7: names what a legal ground keeps, with the ground and its end, and only where something was kept", () => {
    const keep = [{ surface: "summaries", ground: "tax law, ten years", until: "2030-12-31" }];
    const html = letter(sampleTombstone({ keep, reason: "KEPT" }), lang);
    expect(html).toMatch(/tax law, ten years<\/bdi> \(.*31\.? (December|Dezember|décembre) 2030\)/);
    expect(letter(sampleErasure({ keep }), lang)).not.toContain("tax law");
  });

  it("ATTEST-8: of an erasure whose last copy still lives claims nothing before that day", () => {
    const html = letter(sampleErasure({ effective: "2026-12-24T00:00:00Z" }), lang);
    expect(html.match(/<h1>.*<\/h1>/)?.[0]).toMatch(/24\.? (December|Dezember|décembre) 2026/);
    expect(html.match(/<h1>.*<\/h1>/)?.[0]).not.toMatch(CLAIMS[lang].erased);
  });

  it("is static: no script, no link, no resource of another place", () => {
    for (const sample of [sampleErasure, sampleTombstone, sampleWithheld]) {
      const html = letter(sample(), lang, { personCode: CODE });
      expect(html).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|url\(|https?:|@import/i);
      expect(html).toMatch(new RegExp(`^<!doctype html>\\n<html lang="${lang}">`));
      expect(html.match(/<h1>/g)).toHaveLength(1);
    }
  });
});

describe("a hostile receipt", () => {
  const HOSTILE = `</bdi></td><script>alert(1)</script><a href='x' onclick="y">&\u202eevil\u0000`;

  it("cannot inject markup or reverse text through labels, grounds or the controller's name", () => {
    for (const sample of [sampleErasure, sampleTombstone, sampleWithheld]) {
      const receipt = sample({ labels: { episodes: HOSTILE, summaries: HOSTILE }, ground: HOSTILE });
      const html = letter(receipt, "en", { controller: HOSTILE, personCode: HOSTILE });
      for (const injected of ["<script", "<a ", 'onclick="', "\u202e", "\u0000"]) expect(html).not.toContain(injected);
      expect(html).toContain("&lt;script&gt;");
    }
  });

  it("cannot flood the page with one label", () => {
    expect(letter(sampleErasure({ labels: { episodes: "x".repeat(100_000) } }), "en").length).toBeLessThan(30_000);
  });

  it("VERIFY-2: a tombstone relabelled as an erasure gets no letter", () => {
    expect(() => letter(sampleTombstone({ predicateType: ERASURE_PREDICATE }), "en")).toThrow(
      expect.objectContaining({ code: "BAD_RECEIPT" }),
    );
    expect(() => letter(sampleWithheld({ predicateType: ERASURE_PREDICATE }), "en")).toThrow(
      expect.objectContaining({ code: "BAD_RECEIPT" }),
    );
  });

  it.each([
    null,
    7,
    [],
    {},
    { envelope: { payload: 7 } },
    { envelope: { payload: "e30=" }, manifest: { artifacts: 3 } },
  ])("is refused by its code where it has no form of a receipt (%#)", (receipt) => {
    expect(() => composeLetter(receipt, { lang: "en", now: NOW })).toThrow(
      expect.objectContaining({ code: "BAD_RECEIPT" }),
    );
  });

  it("is refused without repeating what it holds where its payload is no statement", () => {
    for (const payload of ["not base64!", toBase64(utf8("secret words")), toBase64(utf8("[1]")), ""]) {
      const receipt = { ...sampleErasure(), envelope: { ...sampleErasure().envelope, payload } };
      expect(() => letter(receipt, "en")).toThrow(expect.objectContaining({ code: "BAD_RECEIPT" }));
      expect(() => letter(receipt, "en")).not.toThrow(/secret/);
    }
  });
});

describe("reasons for people", () => {
  it("VERDICT-5: tells a code that this version does not know as open, never leaves it out", () => {
    expect(reasonGroup("SOMETHING_NEW")).toBe("other");
    expect(REASON_GROUPS).toContain(reasonGroup("SURVIVOR_FOUND"));
  });

  it("VERIFY-6: tells nobody of another person's loss", () => {
    expect(reasonGroup("BYSTANDER_LOST")).toBe("other");
  });
});
