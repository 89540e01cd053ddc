// Lineage: which artifacts there are, whom they are about and what they derive from; sealed while they live, digests once erased. It must not judge.
import { markDropped } from "./compaction.ts";
import type { EdgeOrigin } from "../model/artifact.ts";
import { UsageError } from "../model/errors.ts";
import { groupBy } from "../model/group-by.ts";
import type { ArtifactRef, SubjectIdentifier } from "../model/ids.ts";
import type { Holds } from "./holds.ts";
import { hexArray, hexList, hexOf, parseJsonBytes, storedRef, unsealByGuard, type LedgerCore } from "./ledger-core.ts";
import type { KnownArtifact, KnownSource, Lineage } from "./ledger.ts";
import { findKnown, type KnownRow } from "./known-records.ts";
import { ORIGINS, originOf, STATE } from "./lineage-codes.ts";
import { type DigestedRecord, digestRecords } from "./artifact-rows.ts";
import { enterHarvest } from "./harvested-blocks.ts";
import { createHarvestMemory } from "./harvest-memory.ts";
import { markAllErased } from "./mark-erased.ts";
import { contentTag, enterRecords } from "./record-artifacts.ts";
import { sealBroken } from "./seal.ts";

// A list is taken in by parts, so small that what is held of each beside is gone before the collector has to keep it.
const PART = 512;

interface ArtifactRow {
  readonly id: number;
  readonly surface: string;
  readonly state: number;
  readonly known_by: number;
  readonly content_tag: Uint8Array | null;
  readonly erased_at: string | null;
}

/** A row of which the harvest said all. */
const VOUCHED: KnownRow = { isRecorded: true, isCurrent: true, further: [] };

/** What a sealed key is opened with. */
interface SealedRow {
  readonly digest: Uint8Array;
  readonly surface: string;
  readonly sealed: Uint8Array;
}

/** The lineage without what stands in files of its own: closure and holds. */
export type LineageRecords = Omit<Lineage, "closure" | "derivedFrom" | keyof Holds>;

/** The artifact of a row, proved by its digest. @throws LedgerError SEAL_BROKEN where the sealed key is another row's or another ledger's */
export function openRef({ keys, digests }: LedgerCore, { digest, surface, sealed }: SealedRow): ArtifactRef {
  const key = keys.artifactSeal.open(digest, sealed);
  if (key !== undefined && key !== "") {
    const ref = storedRef(surface, key);
    if (Buffer.compare(digests.artifactDigest(ref), digest) === 0) return ref;
  }
  throw sealBroken();
}

export function createLineage(core: LedgerCore): LineageRecords {
  const { connection, digests } = core;
  const memory = createHarvestMemory(core);

  function row(digest: Uint8Array): ArtifactRow | undefined {
    return connection.get<ArtifactRow>(
      "SELECT id, surface, state, known_by, content_tag, erased_at FROM artifacts WHERE digest = ?",
      digest,
    );
  }

  function idOf(ref: ArtifactRef): number | undefined {
    return connection.get<{ id: number }>("SELECT id FROM artifacts WHERE digest = ?", digests.artifactDigest(ref))?.id;
  }

  function untag(artifact: number, subject: number): void {
    connection.run("DELETE FROM artifact_subjects WHERE subject = ? AND artifact = ?", subject, artifact);
    connection.run(
      "DELETE FROM identifiers WHERE id = ? AND NOT EXISTS (SELECT 1 FROM artifact_subjects WHERE subject = ?)",
      subject,
      subject,
    );
  }

  function subjectRows(artifact: number): { id: number; digest: Uint8Array; sealed: Uint8Array }[] {
    return connection.all(
      `SELECT i.id, i.digest, i.sealed FROM artifact_subjects AS s JOIN identifiers AS i ON i.id = s.subject
       WHERE s.artifact = ? ORDER BY i.digest`,
      artifact,
    );
  }

  /** A harvest says again of nearly every row what the ledger knows. */
  function enterNews(list: readonly DigestedRecord[], origin: EdgeOrigin): void {
    const known = findKnown(core, list, ORIGINS.indexOf(origin));
    const news = list.filter(
      ({ contentDigest }, place) => contentDigest !== undefined || known[place]?.isCurrent !== true,
    );
    if (news.length > 0) enterRecords(core, news, origin);
  }

  /** Many artifacts have the same sources: each is opened once. */
  function sourcesOfEach(refs: readonly ArtifactRef[]): readonly (readonly KnownSource[])[] {
    const sources: KnownSource[][] = refs.map(() => []);
    const opened = new Map<number, Omit<KnownSource, "origin">>();
    for (let start = 0; start < refs.length; start += PART) {
      const part = refs.slice(start, start + PART).map((ref) => digests.hashArtifact(ref));
      for (const [place, id, origin, digest, surface, sealed] of connection.rows<
        [number, number, number, Uint8Array, string, Uint8Array | null]
      >(
        `SELECT j.key, a.id, d.origin, a.digest, a.surface, a.sealed FROM json_each(?) AS j
         CROSS JOIN artifacts AS t ON t.digest = unhex(j.value) CROSS JOIN derivations AS d ON d.derived = t.id
         CROSS JOIN artifacts AS a ON a.id = d.source ORDER BY j.key, a.digest`,
        hexArray(part),
      )) {
        let source = opened.get(id);
        if (source === undefined) {
          const ref = sealed === null ? undefined : openRef(core, { digest, surface, sealed });
          source = { digest: hexOf(digest), ...(ref === undefined ? {} : { ref }) };
          opened.set(id, source);
        }
        sources[start + place]?.push({ ...source, origin: originOf(origin) });
      }
    }
    return sources;
  }

  /** In the order of the ids. What was erased since is left out: only its digest is left. */
  function refsOf(ids: readonly number[]): readonly ArtifactRef[] {
    return connection
      .all<SealedRow>(
        `SELECT a.digest, a.surface, a.sealed FROM json_each(?) AS j CROSS JOIN artifacts AS a ON a.id = j.value
         WHERE a.sealed IS NOT NULL ORDER BY j.key`,
        `[${ids.join(",")}]`,
      )
      .map((found) => openRef(core, found));
  }

  return {
    recordArtifacts(list) {
      connection.transaction(() => {
        // A list has one origin, as a rule.
        for (const [origin, records] of groupBy(list, (record) => record.origin))
          for (let start = 0; start < records.length; start += PART)
            enterNews(digestRecords(core, records.slice(start, start + PART)), origin);
      });
    },
    recordHarvest(rows) {
      connection.transaction(() => {
        enterHarvest(core, rows, (block) => {
          for (let start = 0; start < block.length; start += PART) {
            const part = block.slice(start, start + PART);
            enterNews(
              digestRecords(
                core,
                part.map((row) => ({ ref: row, subjects: row.subjects, sources: row.sources })),
              ),
              "declared",
            );
          }
        });
        memory.remember(rows);
      });
    },
    forgetHarvest() {
      memory.forget();
    },
    artifact(ref) {
      const digest = digests.artifactDigest(ref);
      const known = row(digest);
      if (known === undefined || known.state === STATE.mentioned) return undefined;
      const isHeld = connection.get("SELECT 1 FROM holds WHERE artifact = ?", digest) !== undefined;
      const answer: KnownArtifact = {
        state: known.state === STATE.erased ? "erased" : isHeld ? "kept" : "live",
        knownBy: originOf(known.known_by),
        ...(known.erased_at === null ? {} : { erasedAt: known.erased_at }),
      };
      return answer;
    },
    sourcesOf: (ref) => sourcesOfEach([ref])[0] ?? [],
    sourcesOfEach,
    knownBeside(rows) {
      const isKnown = memory.vouchFor(rows);
      const asked = rows.filter((_, place) => !isKnown(place));
      if (asked.length === 0) return rows.map(() => VOUCHED);
      const digested = digestRecords(
        core,
        asked.map((row) => ({ ref: row, subjects: row.subjects, sources: row.sources })),
      );
      const known = new Map(findKnown(core, digested, ORIGINS.indexOf("declared")).map((one, at) => [asked[at], one]));
      return rows.map((row): KnownRow => {
        const found = known.get(row);
        if (found === undefined) return VOUCHED;
        const { isRecorded, isCurrent, further } = found;
        return { isRecorded, isCurrent, further: further.length === 0 ? [] : refsOf(further) };
      });
    },
    subjectsOf(ref) {
      const id = idOf(ref);
      if (id === undefined) return [];
      return subjectRows(id).map(({ digest, sealed }) =>
        parseJsonBytes<SubjectIdentifier>(unsealByGuard(core, `identifiers/${hexOf(digest)}`, sealed)),
      );
    },
    artifactsAbout(identifiers) {
      const wanted = hexList(identifiers.map((identifier) => digests.identifierDigest(identifier)));
      return connection
        .all<SealedRow>(
          `SELECT DISTINCT a.digest, a.surface, a.sealed FROM json_each(?) AS j
           JOIN identifiers AS i ON i.digest = unhex(j.value) JOIN artifact_subjects AS s ON s.subject = i.id
           JOIN artifacts AS a ON a.id = s.artifact WHERE a.state = ${STATE.live} ORDER BY a.surface, a.digest`,
          wanted,
        )
        .map((found) => openRef(core, found));
    },
    markErased(refs, request) {
      connection.transaction(() => {
        memory.without(refs, () => markAllErased(core, refs, request));
        markDropped(core);
      });
    },
    dropSources(derived, sources) {
      connection.transaction(() => {
        const id = idOf(derived);
        if (id === undefined) return;
        memory.without([derived], () => {
          for (const source of sources) {
            connection.run(
              "DELETE FROM derivations WHERE source = (SELECT id FROM artifacts WHERE digest = ?) AND derived = ?",
              digests.artifactDigest(source),
              id,
            );
          }
        });
      });
    },
    dropSubjects(ref, identifiers) {
      connection.transaction(() => {
        const id = idOf(ref);
        if (id === undefined) return;
        const gone = new Set(identifiers.map((identifier) => hexOf(digests.identifierDigest(identifier))));
        memory.without([ref], () => {
          for (const subject of subjectRows(id)) if (gone.has(hexOf(subject.digest))) untag(id, subject.id);
        });
        markDropped(core);
      });
    },
    wasErased: (refs) =>
      refs.map(
        (ref) =>
          connection.get("SELECT 1 FROM erasures WHERE artifact = ? LIMIT 1", digests.artifactDigest(ref)) !==
          undefined,
      ),
    wasErasedWith: (ref, contentDigest) =>
      connection.get(
        "SELECT 1 FROM erasures WHERE artifact = ? AND content_tag = ? LIMIT 1",
        digests.artifactDigest(ref),
        contentTag(core, contentDigest),
      ) !== undefined,
    confirmEdge(derived, source) {
      connection.transaction(() => {
        const ends = [idOf(source) ?? 0, idOf(derived) ?? 0] as const;
        if (connection.get("SELECT 1 FROM derivations WHERE source = ? AND derived = ?", ...ends) === undefined)
          throw new UsageError("NO_SUCH_EDGE", "the ledger knows no such derivation, see `deleatur review`");
        connection.run(
          "UPDATE derivations SET origin = ? WHERE source = ? AND derived = ? AND origin = ?",
          ORIGINS.indexOf("declared"),
          ...ends,
          ORIGINS.indexOf("inferred"),
        );
      });
    },
    inferredEdges: () =>
      connection
        .all<
          Record<"source" | "derived" | "source_sealed" | "derived_sealed", Uint8Array> &
            Record<"source_surface" | "derived_surface", string>
        >(
          `SELECT s.digest AS source, s.surface AS source_surface, s.sealed AS source_sealed,
             a.digest AS derived, a.surface AS derived_surface, a.sealed AS derived_sealed
           FROM derivations AS d JOIN artifacts AS s ON s.id = d.source JOIN artifacts AS a ON a.id = d.derived
           WHERE d.origin = ? AND s.sealed IS NOT NULL AND a.sealed IS NOT NULL ORDER BY a.digest, s.digest`,
          ORIGINS.indexOf("inferred"),
        )
        .map((edge) => ({
          derived: openRef(core, { digest: edge.derived, surface: edge.derived_surface, sealed: edge.derived_sealed }),
          source: openRef(core, { digest: edge.source, surface: edge.source_surface, sealed: edge.source_sealed }),
        })),
    counts() {
      const perSurface = connection.rows<[string, number]>(
        `SELECT surface, count(*) FROM artifacts WHERE state = ${STATE.live} GROUP BY surface ORDER BY surface`,
      );
      const derivations = connection.get<{ n: number }>("SELECT count(*) AS n FROM derivations")?.n ?? 0;
      return {
        artifacts: perSurface.reduce((sum, [, count]) => sum + count, 0),
        derivations,
        perSurface: Object.fromEntries(perSurface),
      };
    },
  };
}
