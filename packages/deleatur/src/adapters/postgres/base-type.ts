// Says in SQL which type stands behind a domain, and a domain behind that. Pure text: hands and eyes read columns alike, and it reads no store.

/** The name of a type's base, as a scalar; `alias` is a row of pg_type. */
export function baseTypeSql(alias: string): string {
  return `(WITH RECURSIVE behind AS (SELECT ${alias}.typname, ${alias}.typtype, ${alias}.typbasetype
     UNION ALL SELECT b.typname, b.typtype, b.typbasetype FROM behind JOIN pg_catalog.pg_type b ON b.oid = behind.typbasetype WHERE behind.typtype = 'd')
     SELECT typname FROM behind WHERE typtype <> 'd')`;
}
