// Turns a receipt into the facts of a letter: counts under plain labels, dates and grounds. No wording and no HTML.
import { ERASURE_PREDICATE, TOMBSTONE_PREDICATE, WITHHELD_PREDICATE } from "@deleatur/verify";
import { z } from "zod";
import { type ReasonGroup, reasonGroup } from "./reason-group.ts";
import {
  type AttestedPredicate,
  type LetterManifest,
  readStatement,
  type WithheldReadPredicate,
} from "./read-statement.ts";

export interface LocationLine {
  readonly label: string;
  readonly erased: number;
  readonly rewritten: number;
  /** Records whose end is not shown; always 0 in an erasure. */
  readonly open: number;
}

export interface KeptLine {
  readonly label: string;
  readonly ground: string;
  readonly until?: Date;
}

export interface OpenLine {
  readonly label?: string;
  readonly group: ReasonGroup;
  readonly deadline?: Date;
}

interface CommonFacts {
  readonly request: string;
  readonly boundary: string;
  readonly target: "person" | "records";
  readonly issued: Date;
  readonly received?: Date;
  readonly locations: readonly LocationLine[];
  readonly kept: readonly KeptLine[];
  /** Locations that the inventory exempts, with the ground. */
  readonly exempt: readonly KeptLine[];
}

interface AttestedFacts extends CommonFacts {
  /** How many data locations the inventory declares. */
  readonly all: number;
  readonly effective: Date;
  readonly goneBy: readonly { readonly label: string; readonly until: Date }[];
  readonly doNotStore: number;
}

/** What a letter says. The three kinds share no member that could be told as an erasure by mistake. */
export type LetterFacts =
  | (AttestedFacts & { readonly kind: "erasure" })
  | (AttestedFacts & { readonly kind: "tombstone"; readonly open: readonly OpenLine[] })
  | (CommonFacts & { readonly kind: "withheld"; readonly open: readonly OpenLine[] });

/** Reads the facts. @throws UsageError BAD_RECEIPT */
export function letterFacts(receipt: unknown): LetterFacts {
  const { statement, manifest } = readStatement(receipt);
  switch (statement.predicateType) {
    case ERASURE_PREDICATE:
      return { kind: "erasure", ...attestedFacts(statement.predicate, manifest) };
    case TOMBSTONE_PREDICATE: {
      const { residualRisks, boundary } = statement.predicate;
      const label = labels(boundary.publicForm);
      const open = residualRisks.map(({ surface, code, deadline }) => ({
        label: label(surface),
        group: reasonGroup(code),
        ...(deadline === null ? {} : { deadline }),
      }));
      return { kind: "tombstone", ...attestedFacts(statement.predicate, manifest), open };
    }
    case WITHHELD_PREDICATE:
      return withheldFacts(statement.predicate);
    default:
      return statement satisfies never;
  }
}

type Attested = AttestedPredicate;
type Withheld = WithheldReadPredicate;

function attestedFacts(predicate: Attested, manifest: LetterManifest): AttestedFacts {
  const label = labels(predicate.boundary.publicForm);
  const artifacts = manifest?.artifacts ?? [];
  const uncovered = new Set(predicate.residualRisks.map(({ surface }) => surface));
  const locations = predicate.surfaces
    .filter(({ alg }) => alg !== 2)
    .map(({ id }) => {
      const here = artifacts.filter(({ surface }) => surface === id);
      const erased = here.filter(({ fate }) => fate === "erased").length;
      const rewritten = here.filter(({ fate }) => fate === "rewritten").length;
      // Of an uncovered location nothing is shown, whatever the manifest says of it.
      return uncovered.has(id)
        ? { label: label(id), erased: 0, rewritten: 0, open: here.length }
        : { label: label(id), erased, rewritten, open: 0 };
    });
  return {
    ...commonFacts(predicate),
    ...(predicate.received === null ? {} : { received: predicate.received }),
    all: predicate.surfaces.length,
    locations,
    effective: predicate.effective,
    goneBy: predicate.surfaces.flatMap(({ id, horizon }) =>
      horizon === null ? [] : [{ label: label(id), until: new Date(horizon.until * 1000) }],
    ),
    doNotStore: predicate.denylist.count,
  };
}

function withheldFacts(predicate: Withheld): LetterFacts & { readonly kind: "withheld" } {
  const label = labels(predicate.boundary.publicForm);
  const given = predicate.reasons.length > 0 ? predicate.reasons : [{ code: predicate.code, surface: null }];
  const open = given.map(({ code, surface }) => ({
    group: reasonGroup(code),
    ...(surface === null ? {} : { label: label(surface) }),
  }));
  return {
    kind: "withheld",
    ...commonFacts(predicate),
    locations: predicate.surfaces.map(({ id, erased, rewritten, pending, unsupported, failed, blind }) => ({
      label: label(id),
      erased,
      rewritten,
      open: pending + unsupported + failed + blind,
    })),
    // Several records of one location for one reason are one line.
    open: [...new Map(open.map((line) => [JSON.stringify(line), line])).values()],
  };
}

function commonFacts(predicate: Attested | Withheld): Omit<CommonFacts, "locations"> {
  const { publicForm, id } = predicate.boundary;
  return {
    request: predicate.request,
    boundary: id,
    target: predicate.target,
    issued: predicate.issued,
    kept: keptLines(keptSurfaces(predicate), publicForm),
    exempt: publicForm.exemptions.map(({ name, ground, kind }) => ({ label: name, ground: ground ?? kind })),
  };
}

function labels(publicForm: Attested["boundary"]["publicForm"]): (surface: string) => string {
  const known = new Map(publicForm.surfaces.map(({ id, label }) => [id, label ?? id]));
  return (surface) => known.get(surface) ?? surface;
}

const keep = z.object({ ground: z.string(), until: z.string() });
const keepByList = z.array(keep.extend({ surface: z.string() }));
const keepBySurface = z.record(z.string(), keep);

/** Surfaces in which records of this request were kept; one that merely could keep some is none of the person's concern. */
function keptSurfaces(predicate: Attested | Withheld): readonly { readonly surface: string; readonly text: string }[] {
  const given = "residualRisks" in predicate ? predicate.residualRisks : predicate.reasons;
  return given.flatMap(({ code, surface, text }) => (code === "KEPT" && surface !== null ? [{ surface, text }] : []));
}

/** The declared ground where there is one, else (a hold on single records) what was signed about it. */
function keptLines(
  kept: readonly { readonly surface: string; readonly text: string }[],
  publicForm: Attested["boundary"]["publicForm"],
): readonly KeptLine[] {
  const label = labels(publicForm);
  const grounds = declaredGrounds(publicForm.keep);
  return kept.map(({ surface, text }) => {
    const declared = grounds.get(surface);
    const until = declared === undefined ? undefined : new Date(declared.until);
    const isDated = until !== undefined && !Number.isNaN(until.getTime());
    return { label: label(surface), ground: declared?.ground ?? text, ...(isDated ? { until } : {}) };
  });
}

/** The public form's `keep` is free JSON (PROOFS §2): a list or a map of surfaces is read, anything else is no ground. */
function declaredGrounds(given: unknown): ReadonlyMap<string, z.output<typeof keep>> {
  const list = keepByList.safeParse(given);
  if (list.success) return new Map(list.data.map((one) => [one.surface, one]));
  const map = keepBySurface.safeParse(given);
  return new Map(map.success ? Object.entries(map.data) : []);
}
