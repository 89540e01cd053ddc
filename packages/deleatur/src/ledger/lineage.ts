// Lineage: which artifacts there are, whom they are about and what they derive from; sealed while they live, digests once erased. It must not judge.
import { markDropped } from "./compaction.ts";
import { concatBytes, textOf, utf8 } from "@deleatur/verify";
import type { EdgeOrigin } from "../model/artifact.ts";
import { UsageError } from "../model/errors.ts";
import type { ArtifactRef, RequestId, SubjectIdentifier } from "../model/ids.ts";
import {
  hexList,
  hexOf,
  jsonBytes,
  now,
  parseJsonBytes,
  sealByGuard,
  storedRef,
  unsealByGuard,
  type LedgerCore,
} from "./ledger-core.ts";
import type { ArtifactRecord, KnownArtifact, KnownSource, Lineage } from "./ledger.ts";

const RANK: Readonly<Record<EdgeOrigin, number>> = { recorded: 0, declared: 1, inferred: 2 };
const RANK_SQL = (column: string): string => `CASE ${column} WHEN 'recorded' THEN 0 WHEN 'declared' THEN 1 ELSE 2 END`;

interface ArtifactRow {
  readonly surface: string;
  readonly state: "mentioned" | "live" | "erased";
  readonly known_by: EdgeOrigin;
  readonly sealed: Uint8Array | null;
  readonly content_tag: Uint8Array | null;
  readonly erased_at: string | null;
}

/** The lineage without what stands in files of its own: closure and holds. */
export type LineageRecords = Omit<Lineage, "closure" | "placeHold" | "releaseHold" | "holds">;

/** u8 length of the content digest || content digest || key. */
function sealArtifact(
  core: LedgerCore,
  digest: Uint8Array,
  key: string,
  contentDigest: Uint8Array = new Uint8Array(),
): Uint8Array {
  const value = concatBytes(Uint8Array.of(contentDigest.length), contentDigest, utf8(key));
  return sealByGuard(core, `artifacts/${hexOf(digest)}`, value);
}

export function unsealArtifact(
  core: LedgerCore,
  digest: Uint8Array,
  sealed: Uint8Array,
): { readonly key: string; readonly contentDigest: Uint8Array | undefined } {
  const value = unsealByGuard(core, `artifacts/${hexOf(digest)}`, sealed);
  const length = value[0] ?? 0;
  return {
    key: textOf(value.subarray(1 + length)),
    contentDigest: length === 0 ? undefined : new Uint8Array(value.subarray(1, 1 + length)),
  };
}

export function createLineage(core: LedgerCore): LineageRecords {
  const { connection, digests } = core;
  const tagOf = (contentDigest: Uint8Array): Uint8Array => digests.keyedDigest("content", contentDigest);

  function row(digest: Uint8Array): ArtifactRow | undefined {
    return connection.get<ArtifactRow>(
      "SELECT surface, state, known_by, sealed, content_tag, erased_at FROM artifacts WHERE digest = ?",
      digest,
    );
  }

  function mention(digest: Uint8Array, ref: ArtifactRef, origin: EdgeOrigin, at: string): void {
    if (connection.get("SELECT 1 FROM artifacts WHERE digest = ?", digest) !== undefined) return;
    connection.run(
      "INSERT INTO artifacts (digest, surface, state, known_by, sealed, recorded_at) VALUES (?, ?, 'mentioned', ?, ?, ?)",
      digest,
      ref.surface,
      origin,
      sealArtifact(core, digest, ref.key),
      at,
    );
  }

  function upsert(digest: Uint8Array, { ref, origin, contentDigest }: ArtifactRecord, at: string): void {
    const known = row(digest);
    const tag = contentDigest === undefined ? null : tagOf(contentDigest);
    if (known === undefined) {
      connection.run(
        "INSERT INTO artifacts (digest, surface, state, known_by, sealed, content_tag, recorded_at) VALUES (?, ?, 'live', ?, ?, ?, ?)",
        digest,
        ref.surface,
        origin,
        sealArtifact(core, digest, ref.key, contentDigest),
        tag,
        at,
      );
      return;
    }
    const isSame = tag === null || (known.content_tag !== null && hexOf(known.content_tag) === hexOf(tag));
    const isBetterKnown = known.state !== "live" || RANK[origin] < RANK[known.known_by];
    if (known.state === "live" && isSame && !isBetterKnown) return;
    if (known.state === "erased") {
      // The key was taken again: what its former holder was derived from says nothing about the new one.
      connection.run("DELETE FROM derivations WHERE derived = ?", digest);
    }
    const keepsContent = tag === null && known.state === "live" && known.sealed !== null;
    connection.run(
      "UPDATE artifacts SET state = 'live', known_by = ?, sealed = ?, content_tag = ?, erased_at = NULL WHERE digest = ?",
      isBetterKnown ? origin : known.known_by,
      keepsContent ? known.sealed : sealArtifact(core, digest, ref.key, contentDigest),
      keepsContent ? known.content_tag : tag,
      digest,
    );
  }

  function tagSubject(digest: Uint8Array, identifier: SubjectIdentifier, subject: Uint8Array): void {
    if (connection.get("SELECT 1 FROM identifiers WHERE digest = ?", subject) === undefined) {
      const { type, value } = identifier;
      const sealed = sealByGuard(core, `identifiers/${hexOf(subject)}`, jsonBytes({ type, value }));
      connection.run("INSERT INTO identifiers (digest, sealed) VALUES (?, ?)", subject, sealed);
    }
    connection.run(
      "INSERT INTO artifact_subjects (subject, artifact) VALUES (?, ?) ON CONFLICT DO NOTHING",
      subject,
      digest,
    );
  }

  function addEdge(source: Uint8Array, derived: Uint8Array, origin: EdgeOrigin): void {
    connection.run(
      `INSERT INTO derivations (source, derived, origin) VALUES (?, ?, ?)
       ON CONFLICT (source, derived) DO UPDATE SET origin = excluded.origin
       WHERE ${RANK_SQL("excluded.origin")} < ${RANK_SQL("derivations.origin")}`,
      source,
      derived,
      origin,
    );
  }

  function untag(digest: Uint8Array, subject: Uint8Array): void {
    connection.run("DELETE FROM artifact_subjects WHERE subject = ? AND artifact = ?", subject, digest);
    connection.run(
      "DELETE FROM identifiers WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM artifact_subjects WHERE subject = ?)",
      subject,
      subject,
    );
  }

  function eraseOne(ref: ArtifactRef, request: RequestId): void {
    const digest = digests.artifactDigest(ref);
    const known = row(digest);
    const at = now(core);
    if (known?.state === "erased") return;
    connection.run(
      `INSERT INTO erasures (artifact, request, at, content_tag) VALUES (?, ?, ?, ?)
       ON CONFLICT (artifact, request) DO UPDATE SET content_tag = coalesce(excluded.content_tag, erasures.content_tag)`,
      digest,
      request,
      at,
      known?.content_tag ?? null,
    );
    connection.run(
      `INSERT INTO artifacts (digest, surface, state, known_by, recorded_at, erased_at) VALUES (?, ?, 'erased', 'declared', ?, ?)
       ON CONFLICT (digest) DO UPDATE SET state = 'erased', sealed = NULL, content_tag = NULL, erased_at = excluded.erased_at`,
      digest,
      ref.surface,
      at,
      at,
    );
    for (const { subject } of subjectRows(digest)) untag(digest, subject);
  }

  function subjectRows(digest: Uint8Array): { subject: Uint8Array; sealed: Uint8Array }[] {
    return connection.all(
      "SELECT s.subject, i.sealed FROM artifact_subjects AS s JOIN identifiers AS i ON i.digest = s.subject WHERE s.artifact = ? ORDER BY s.subject",
      digest,
    );
  }

  return {
    recordArtifacts(list) {
      connection.transaction(() => {
        const at = now(core);
        // A batch names few persons many times.
        const persons = new Map<string, Uint8Array>();
        for (const record of list) {
          const digest = digests.artifactDigest(record.ref);
          upsert(digest, record, at);
          for (const identifier of record.subjects) {
            const name = JSON.stringify([identifier.type, identifier.value]);
            const subject = persons.get(name) ?? digests.identifierDigest(identifier);
            persons.set(name, subject);
            tagSubject(digest, identifier, subject);
          }
          for (const source of record.sources) {
            const sourceDigest = digests.artifactDigest(source);
            mention(sourceDigest, source, record.origin, at);
            addEdge(sourceDigest, digest, record.origin);
          }
        }
      });
    },
    artifact(ref) {
      const digest = digests.artifactDigest(ref);
      const known = row(digest);
      if (known === undefined || known.state === "mentioned") return undefined;
      const isHeld = connection.get("SELECT 1 FROM holds WHERE artifact = ?", digest) !== undefined;
      const contentDigest =
        known.sealed === null ? undefined : unsealArtifact(core, digest, known.sealed).contentDigest;
      const answer: KnownArtifact = {
        state: known.state === "live" && isHeld ? "kept" : known.state,
        knownBy: known.known_by,
        ...(contentDigest === undefined ? {} : { contentDigest }),
        ...(known.erased_at === null ? {} : { erasedAt: known.erased_at }),
      };
      return answer;
    },
    sourcesOf(ref) {
      return connection
        .all<{ source: Uint8Array; origin: EdgeOrigin; surface: string | null; sealed: Uint8Array | null }>(
          `SELECT d.source, d.origin, a.surface, a.sealed FROM derivations AS d
           LEFT JOIN artifacts AS a ON a.digest = d.source WHERE d.derived = ? ORDER BY d.source`,
          digests.artifactDigest(ref),
        )
        .map(({ source, origin, surface, sealed }): KnownSource => {
          const base = { digest: hexOf(source), origin };
          if (surface === null || sealed === null) return base;
          return { ...base, ref: storedRef(surface, unsealArtifact(core, source, sealed).key) };
        });
    },
    subjectsOf(ref) {
      return subjectRows(digests.artifactDigest(ref)).map(({ subject, sealed }) =>
        parseJsonBytes<SubjectIdentifier>(unsealByGuard(core, `identifiers/${hexOf(subject)}`, sealed)),
      );
    },
    artifactsAbout(identifiers) {
      const wanted = hexList(identifiers.map((identifier) => digests.identifierDigest(identifier)));
      return connection
        .all<{ digest: Uint8Array; surface: string; sealed: Uint8Array }>(
          `SELECT DISTINCT a.digest, a.surface, a.sealed FROM json_each(?) AS j
           JOIN artifact_subjects AS s ON s.subject = unhex(j.value)
           JOIN artifacts AS a ON a.digest = s.artifact WHERE a.state = 'live' ORDER BY a.surface, a.digest`,
          wanted,
        )
        .map(({ digest, surface, sealed }) => storedRef(surface, unsealArtifact(core, digest, sealed).key));
    },
    markErased(refs, request) {
      connection.transaction(() => {
        for (const ref of refs) eraseOne(ref, request);
        markDropped(core);
      });
    },
    dropSources(derived, sources) {
      const digest = digests.artifactDigest(derived);
      connection.transaction(() => {
        for (const source of sources) {
          connection.run(
            "DELETE FROM derivations WHERE source = ? AND derived = ?",
            digests.artifactDigest(source),
            digest,
          );
        }
      });
    },
    dropSubjects(ref, identifiers) {
      const digest = digests.artifactDigest(ref);
      connection.transaction(() => {
        for (const identifier of identifiers) untag(digest, digests.identifierDigest(identifier));
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
        tagOf(contentDigest),
      ) !== undefined,
    confirmEdge(derived, source) {
      const ends = [digests.artifactDigest(source), digests.artifactDigest(derived)] as const;
      connection.transaction(() => {
        if (connection.get("SELECT 1 FROM derivations WHERE source = ? AND derived = ?", ...ends) === undefined)
          throw new UsageError("NO_SUCH_EDGE", "the ledger knows no such derivation, see `deleatur review`");
        connection.run(
          "UPDATE derivations SET origin = 'declared' WHERE source = ? AND derived = ? AND origin = 'inferred'",
          ...ends,
        );
      });
    },
    inferredEdges: () =>
      connection
        .all<
          Record<"source" | "derived" | "source_sealed" | "derived_sealed", Uint8Array> &
            Record<"source_surface" | "derived_surface", string>
        >(
          `SELECT d.source, d.derived, s.surface AS source_surface, s.sealed AS source_sealed,
             a.surface AS derived_surface, a.sealed AS derived_sealed
           FROM derivations AS d JOIN artifacts AS s ON s.digest = d.source JOIN artifacts AS a ON a.digest = d.derived
           WHERE d.origin = 'inferred' AND s.sealed IS NOT NULL AND a.sealed IS NOT NULL ORDER BY d.derived, d.source`,
        )
        .map((edge) => ({
          derived: storedRef(edge.derived_surface, unsealArtifact(core, edge.derived, edge.derived_sealed).key),
          source: storedRef(edge.source_surface, unsealArtifact(core, edge.source, edge.source_sealed).key),
        })),
    counts() {
      const perSurface = connection.rows<[string, number]>(
        "SELECT surface, count(*) FROM artifacts WHERE state = 'live' GROUP BY surface ORDER BY surface",
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
