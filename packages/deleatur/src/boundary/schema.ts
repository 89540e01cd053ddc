// The one zod schema of the boundary file and of `defineBoundary`; the JSON Schema for editors is made from it. It checks shapes, lint.ts checks sense.
import { z } from "zod";
import { KIND_NAME, REDIS_UNITS, SURFACE_KINDS, SURFACE_ROLES } from "../model/declaration.ts";
import type { BoundaryInput } from "./boundary-input.ts";
import { DURATION } from "./duration.ts";

const plain = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text);
const name = (description: string) =>
  z
    .string()
    .min(1, "must not be empty")
    .max(1024, "must be at most 1,024 characters")
    .refine(plain, "must be well-formed text without control characters")
    .meta({ description });
const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).min(1, "must not be empty").max(64)]);
const duration = (description: string) =>
  z.string().regex(DURATION, "must be a duration such as PT1H or P30D").meta({ description });

const type = name("identifier type, one of `identifiers`");
const column = name("column");
const field = name("field of a JSONL line, of a hash or of JSON in Redis, dotted for nested ones");
const join = { via: name("table to join"), on: name("column that both tables have") };

const subject = z.union([
  z.strictObject({ column, type }),
  z.strictObject({ field, type }),
  z.strictObject({ json: name("column.path.to.value"), type }),
  z.strictObject({
    segment: z.int().min(0).max(255).meta({ description: "counted from 0 in the key split at `sep`" }),
    of: z.literal("key").optional(),
    sep: z
      .string()
      .min(1, "must not be empty")
      .max(64)
      .refine((text) => text.isWellFormed(), "must be well-formed text"),
    type,
  }),
  z.strictObject({ ...join, column, type }),
]);

const as = z.enum(["key", "json"]).optional().meta({ description: "json: a JSON array of keys" });
const source = z.union([
  z.strictObject({ surface: name("surface id"), column, as }),
  z.strictObject({ surface: name("surface id"), field, as }),
  z.strictObject({ surface: name("surface id"), ...join, column }),
]);

const contentAs = z.enum(["text", "json", "msgpack"]).optional();
const content = z.union([
  name("column or field"),
  z.strictObject({ column, as: contentAs }),
  z.strictObject({ field, as: contentAs }),
]);

const typedColumn = z.strictObject({ column, type });
const writers = z
  .enum(["sdk", "trigger", "foreign"])
  .meta({ description: "who writes: our SDK, anybody under a fence trigger, or anybody (nothing is assumed)" });

const policies = {
  store: name("name under `connect`").optional(),
  writers: writers.optional(),
  shared: z
    .enum(["destroy", "redact", "rederive"])
    .optional()
    .meta({ description: "what happens to an artifact that another person's data went into as well" }),
  rederive: z
    .union([
      name("function that the forgetting process registers"),
      z.strictObject({ command: z.array(name("argument")).min(1, "must not be empty").max(256) }),
      z.strictObject({ http: name("address") }),
    ])
    .optional(),
  keep: z
    .strictObject({
      ground: name("legal ground"),
      until: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/, "must be a date such as 2027-12-31")
        .meta({ description: "ISO date" }),
    })
    .optional(),
  purge: z
    .strictObject({
      window: name("weekly window").optional().meta({ description: "for example: Sun 02:00-05:00Z" }),
      method: z.enum(["auto", "vacuum", "checkpoint"]).optional(),
    })
    .optional(),
  replicas: z.array(name("name under `connect`")).max(64).optional(),
};

const surface = z.strictObject({
  kind: z.union([
    z.enum(SURFACE_KINDS),
    z
      .string()
      .regex(KIND_NAME)
      .meta({ description: "a kind of your own: `openDeleatur(file, { kinds })`, `--adapter`" }),
  ]),
  role: z.enum(SURFACE_ROLES),
  label: name("plain name, shown to people").optional(),
  table: name("table").optional(),
  prefix: name("Redis: the keys that begin so").optional(),
  pattern: name("Redis: the keys that match this pattern of its own (* ? [a-c] \\x)").optional(),
  each: z
    .enum(REDIS_UNITS)
    .optional()
    .meta({ description: "Redis: what one record is: a key, an entry of a stream, a field of a hash" }),
  persistence: z
    .literal("none")
    .optional()
    .meta({ description: "Redis: the server writes no files; this is held against it" }),
  key: oneOrMore(name("key column or field")).optional(),
  keys: z
    .enum(["unique", "reusable"])
    .optional()
    .meta({ description: "reusable: the store may give the key of an erased artifact to a new one" }),
  subject: oneOrMore(subject).optional(),
  content: oneOrMore(content).optional(),
  vector: name("vector column").optional(),
  derivedFrom: oneOrMore(source).optional(),
  maps: oneOrMore(z.strictObject({ from: typedColumn, to: typedColumn })).optional(),
  horizon: z
    .strictObject({
      max: duration("longest time a copy lives").optional(),
      ttl: duration("time to live that the store enforces").optional(),
      basis: name("why the bound holds").optional(),
    })
    .optional(),
  horizonLimit: duration("longest horizon that may be attested").optional(),
  of: oneOrMore(name("a backup: the store under `connect` that it is a copy of, its archived log with it")).optional(),
  ...policies,
});

const preset = z.strictObject({
  preset: name("name of a known layout"),
  type: type.optional(),
  source: name("surface that the rows of this layout are derived from").optional(),
  prefix: name("Redis: the keys that begin so, where the layout has another prefix than its own").optional(),
  table: name("table, where the layout leaves its name to its operator").optional(),
  schema: name("schema of the layout's tables, where it is not public").optional(),
  ...policies,
});

const exemption = z.strictObject({
  name: name("name of the exemption"),
  kind: z.enum(["audit-log", "shredded-medium", "non-recoverable"]),
  ground: name("why it need not be erased"),
  store: name("name under `connect`").optional(),
  table: name("table or file").optional(),
  mechanism: name("for non-recoverable: the mechanism").optional(),
  epsilon: z.number().min(0).optional(),
  reference: name("for non-recoverable: where the argument stands").optional(),
});

const pattern = name("pattern `store.container`, * matches anything");
const connection = z.union([
  z.strictObject({ file: name("SQLite file, relative to this file") }),
  z.strictObject({ path: name("glob of files, relative to this file") }),
  z.strictObject({
    url: name("address of a server (postgres://..., redis://...), its password as ${VARIABLE}"),
    data: name("the server's own data folder, where it can be read from here").optional(),
  }),
]);

/** The boundary as written. Shapes only: what does not fit together is found by lint.ts. */
export const boundarySchema: z.ZodType<BoundaryInput> = z
  .strictObject({
    deleatur: z.literal(1).meta({ description: "version of this format" }),
    boundary: name("id of the boundary, for example support-agent/prod"),
    identifiers: z.array(name("identifier type")).min(1, "must not be empty").max(256),
    surfaces: z.record(z.string(), z.union([surface, preset])),
    exempt: z.array(exemption).max(1024).optional(),
    census: z
      .strictObject({ include: z.array(pattern).max(1024).optional(), quiet: z.array(pattern).max(1024).optional() })
      .optional(),
    writers: writers.optional(),
    watch: duration("how often `deleatur watch` looks, at most P30D").optional(),
    guard: z
      .strictObject({
        expire: duration("how long do-not-store entries stand before they may be taken out, at least P30D").optional(),
      })
      .optional(),
    horizonLimit: z
      .strictObject({
        cache: duration("longest horizon of a cache, P30D where none is given").optional(),
        backup: duration("longest horizon of a backup, P90D where none is given").optional(),
      })
      .optional(),
    connect: z
      .record(z.string(), z.union([name("address"), connection]))
      .optional()
      .meta({
        description:
          "`ledger: sqlite:./deleatur.db`, `anchor: { file }` outside of every store and ledger folder, and every store by name; never digested, never published",
      }),
  })
  .meta({ title: "Deleatur boundary", description: "Every place in which a person's data can be, declared." });
