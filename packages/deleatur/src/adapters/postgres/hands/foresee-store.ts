// Says what a purge of a server would lock, take and lack, and which acts its role may not do: by catalog, rights and sizes. It writes nothing.
import { diskRoom } from "../../../disk-room.ts";
import type { Foresight, PurgeLock } from "../../../surface.ts";
import { quoteTable, spellTable, type PostgresOptions, type PostgresTarget, type TableName } from "../options.ts";
import { rowsOf, withConnection, type Db } from "./connect.ts";
import { fitsRoom, grantedRoom } from "./index-room.ts";
import { willHold } from "./purge-log.ts";
import { isStandby, lacksRights, takesLock, unseenCopies } from "./purge-store.ts";
import { isSampled, RIGHTS, STATISTICS, tablesOf, viewsOver, withInheritors } from "./purge-tables.ts";

/** Bytes in a second, as measured for the README's "What it costs"; a disk that is slower or shared makes it longer. */
const ROWS_RATE = 50_000_000;
const VECTOR_INDEX_RATE = 5_000_000;
/** Assumed of a vector index that does not fit into the memory that it is built in. */
const LARGE_INDEX_RATE = 1_000_000;
const LOG_RATE = 45_000_000;
const BASIS =
  "pg_class sizes, at 50 MB of tables and plain indexes, 5 MB of vector indexes (1 MB is assumed where twice their size exceeds 256 MB and maintenance_work_mem) and 45 MB of write-ahead log a second, as measured on two busy cores";

/** The store's own server, and copies that are purged by themselves; of standbys only the right to their logs counts. @throws StoreError */
export async function foreseeStore(options: PostgresOptions, signal: AbortSignal): Promise<Foresight> {
  const standbys: PostgresTarget[] = [];
  const servers = [options.target];
  for (const replica of options.replicas)
    ((await withConnection(replica, isStandby, signal)) ? standbys : servers).push(replica);
  const own: Foresight[] = [];
  for (const server of servers) own.push(await withConnection(server, (db) => foreseeServer(db, options), signal));
  let hindrance = own.find((one) => one.hindrance !== undefined)?.hindrance;
  let isLogLeft = false;
  // Declared as a folder of this machine's.
  const disk = options.target.data === undefined ? undefined : diskRoom(options.target.data);
  for (const standby of standbys) {
    const lacks = (db: Db): Promise<boolean> => mayWriteLogAnew(db, true).then((may) => !may);
    if (!(await withConnection(standby, lacks, signal))) continue;
    isLogLeft = true;
    hindrance ??= lacksRights(options.target, [RIGHTS.log]);
  }
  return {
    ...(hindrance === undefined ? {} : { hindrance }),
    bytesStay: isLogLeft || own.some((one) => one.bytesStay),
    locks: own.flatMap(({ locks }) => locks),
    spareBytes: Math.max(...own.map(({ spareBytes }) => spareBytes)),
    ...(disk === undefined ? {} : { disk }),
    seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
    basis: own[0]?.basis ?? "",
    refused: own.flatMap(({ refused }) => refused),
  };
}

async function foreseeServer(db: Db, options: PostgresOptions): Promise<Foresight> {
  const tables = await withInheritors(db, tablesOf(options));
  const isExclusive = takesLock(options);
  const rewritten = await relationsOf(db, tables, isExclusive);
  const viewNames = await viewsOver(db, tables);
  const views = await relationsOf(db, viewNames, true);
  const statistics = await relationsOf(
    db,
    STATISTICS.map((table) => ({ schema: "pg_catalog", table })),
    true,
  );
  const sampled = statistics.filter(({ rowBytes }) => rowBytes > 0);
  const denied = [
    ...(rewritten.every(({ mayRewrite }) => mayRewrite) ? [] : [RIGHTS.table]),
    ...(views.every(({ isOwn }) => isOwn) ? [] : [RIGHTS.view]),
    ...(sampled.every(({ mayRewrite }) => mayRewrite) ? [] : [RIGHTS.statistics]),
    ...((await mayWriteLogAnew(db, false)) ? [] : [RIGHTS.log]),
  ];
  const held = denied.length > 0 ? undefined : await willHold(db);
  const hindrance =
    denied.length > 0
      ? lacksRights(db.target, denied)
      : held === undefined
        ? await unseenCopies(db, options)
        : ({ outcome: "pending", why: held.why } as const);
  const exclusive = [...(isExclusive ? rewritten : []), ...views, ...sampled];
  const total = [...rewritten, ...views, ...sampled];
  const granted = await grantedRoom(db);
  const logBytes = await logSize(db, denied.includes(RIGHTS.log));
  const written = total.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    ...(hindrance === undefined ? {} : { hindrance }),
    // The planner's samples may hold nothing of these tables; the rest holds every row.
    bytesStay:
      held !== undefined ||
      denied.some((right) => right !== RIGHTS.statistics) ||
      (denied.length > 0 && (await areSampled(db, [...tables, ...viewNames]))),
    locks: [
      ...exclusive.map((one) => lockOf(db, one, "ACCESS EXCLUSIVE", "readers and writers")),
      ...(isExclusive ? [] : rewritten.map((one) => lockOf(db, one, "SHARE UPDATE EXCLUSIVE", "nobody"))),
    ],
    // Old and new files of one table stand side by side; what is written stands in the log as well until a checkpoint gives it back.
    spareBytes: Math.max(0, ...total.map(({ bytes }) => bytes)) + Math.min(written, logBytes.most),
    seconds: Math.ceil(
      total.reduce(
        (sum, { bytes, vectorBytes }) =>
          sum +
          (bytes - vectorBytes) / ROWS_RATE +
          vectorBytes / (fitsRoom(vectorBytes, granted) ? VECTOR_INDEX_RATE : LARGE_INDEX_RATE),
        (2 * logBytes.now) / LOG_RATE,
      ),
    ),
    basis: BASIS,
    refused: await refusedActs(db, options),
  };
}

async function areSampled(db: Db, tables: readonly TableName[]): Promise<boolean> {
  for (const table of tables) if (await isSampled(db, table)) return true;
  return false;
}

interface RelationSize {
  readonly name: string;
  /** With TOAST and indexes. */
  readonly bytes: number;
  readonly rowBytes: number;
  /** Of it, indexes of pgvector, whose making anew is slow. */
  readonly vectorBytes: number;
  readonly isOwn: boolean;
  readonly mayRewrite: boolean;
}

/** The relations that have files: tables, partitions, materialized views. As the server's own checks ask for rights (vacuum_is_permitted_for_relation). */
async function relationsOf(
  db: Db,
  names: readonly TableName[],
  isExclusive: boolean,
): Promise<readonly RelationSize[]> {
  const rows = await rowsOf(
    db,
    `WITH named AS (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest($1::text[], $2::text[])))
     SELECT n.nspname, c.relname, pg_catalog.pg_total_relation_size(c.oid)::text, pg_catalog.pg_relation_size(c.oid)::text,
       coalesce((SELECT sum(pg_catalog.pg_relation_size(i.indexrelid)) FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
         JOIN pg_catalog.pg_am m ON m.oid = x.relam WHERE i.indrelid = c.oid AND m.amname IN ('hnsw', 'ivfflat')), 0)::text,
       pg_catalog.pg_has_role(c.relowner, 'USAGE')
         OR CASE WHEN pg_catalog.current_setting('server_version_num')::int >= 170000 THEN pg_catalog.has_table_privilege(c.oid, 'MAINTAIN') ELSE false END,
       (SELECT pg_catalog.pg_has_role(d.datdba, 'USAGE') FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'm') AND (c.oid IN (SELECT oid FROM named) OR c.oid IN (SELECT t.relid FROM named, LATERAL pg_catalog.pg_partition_tree(named.oid) AS t))
     ORDER BY 1, 2`,
    [names.map(({ schema }) => schema), names.map(({ table }) => table)],
  );
  return rows.map(([schema, table, bytes, rowBytes, vectorBytes, isOwn, isDatabaseOwn]) => ({
    name: spellTable({ schema: schema ?? "", table: table ?? "" }),
    bytes: Number(bytes),
    rowBytes: Number(rowBytes),
    vectorBytes: Number(vectorBytes),
    isOwn: isOwn === "t",
    // The database's owner may vacuum what is in it, and not build its indexes anew.
    mayRewrite: isOwn === "t" || (isExclusive && isDatabaseOwn === "t"),
  }));
}

function lockOf(db: Db, { name, bytes }: RelationSize, mode: string, keepsOut: PurgeLock["keepsOut"]): PurgeLock {
  return { container: `${db.target.store}.${name}`, mode, keepsOut, bytes };
}

/** Whether the role may list, switch and checkpoint the log; a standby's log is switched by its primary. */
async function mayWriteLogAnew(db: Db, isCopy: boolean): Promise<boolean> {
  const [row] = await rowsOf(
    db,
    `SELECT pg_catalog.has_function_privilege('pg_catalog.pg_ls_waldir()', 'EXECUTE')
       AND ($1::bool OR (pg_catalog.has_function_privilege('pg_catalog.pg_switch_wal()', 'EXECUTE')
         AND (pg_catalog.current_setting('archive_mode') = 'off' OR pg_catalog.has_function_privilege('pg_catalog.pg_ls_archive_statusdir()', 'EXECUTE'))))
       AND EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE (rolname = 'pg_checkpoint' AND pg_catalog.pg_has_role(oid, 'USAGE')) OR (rolname = current_user AND rolsuper))`,
    [isCopy],
  );
  return row?.[0] === "t";
}

async function logSize(db: Db, isHidden: boolean): Promise<{ readonly now: number; readonly most: number }> {
  const [row] = await rowsOf(
    db,
    `SELECT ${isHidden ? "'0'" : "(SELECT coalesce(sum(size), 0)::text FROM pg_catalog.pg_ls_waldir())"}, pg_catalog.pg_size_bytes(pg_catalog.current_setting('max_wal_size'))::text`,
  );
  return { now: Number(row?.[0] ?? 0), most: Number(row?.[1] ?? 0) };
}

const ACTS = [
  ["erase", "DELETE"],
  ["plant", "INSERT"],
  ["offer", "INSERT"],
  ["offer", "TRIGGER"],
] as const;

async function refusedActs(db: Db, { table }: PostgresOptions): Promise<Foresight["refused"]> {
  const [state] = await rowsOf(db, "SELECT pg_catalog.current_setting('transaction_read_only') = 'on'");
  if (state?.[0] === "t") {
    const why = `store ${db.target.store} may only be read, connect to the primary or lift read-only`;
    return (["erase", "plant", "offer"] as const).map((act) => ({ act, why }));
  }
  const [row] = await rowsOf(
    db,
    `SELECT ${ACTS.map((_, place) => `pg_catalog.has_table_privilege($1, $${place + 2})`).join(", ")}`,
    [quoteTable(table), ...ACTS.map(([, right]) => right)],
  );
  return ACTS.flatMap(([act, right], place) =>
    row?.[place] === "t" ? [] : [{ act, why: `the role of store ${db.target.store} has no right to ${right}` }],
  );
}
