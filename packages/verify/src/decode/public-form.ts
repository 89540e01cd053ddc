// Decodes the public form of a boundary strictly: every member, sorted lists. What it declares freely is kept as JSON, never interpreted.
import { SURFACE_ROLES, type PublicExemption, type PublicForm, type PublicSurface } from "../public-form.ts";
import { entries, id, integer, list, members, nullable, oneOf, sortedList, text, type Field } from "./field.ts";

export const MAX_SURFACES = 4_096;

function surface(field: Field): PublicSurface {
  const at = members(field, [
    "id", "kind", "role", "label", "container", "locators", "derivedFrom", "policies", "writers", "horizon", "replicas",
  ]); // prettier-ignore
  return {
    id: id(at("id")),
    kind: id(at("kind")),
    role: oneOf(at("role"), SURFACE_ROLES),
    label: nullable(at("label"), text),
    container: at("container").value,
    locators: at("locators").value,
    derivedFrom: at("derivedFrom").value,
    policies: at("policies").value,
    writers: oneOf(at("writers"), ["sdk", "trigger", "foreign"]),
    horizon: nullable(at("horizon"), (field) => {
      const at = members(field, ["maxSeconds", "basis"]);
      return { maxSeconds: nullable(at("maxSeconds"), integer), basis: text(at("basis")) };
    }),
    replicas: at("replicas").value,
  };
}

/** An exemption's own members are kept; `name` and `kind` must be there. */
export function exemption(field: Field): PublicExemption {
  const byName = new Map(entries(field, 64));
  const missing: Field = { value: null, path: `${field.path}.name or kind` };
  const own = Object.fromEntries(Array.from(byName, ([name, each]) => [name, each.value]));
  return { ...own, name: id(byName.get("name") ?? missing), kind: id(byName.get("kind") ?? missing) };
}

export function publicForm(field: Field): PublicForm {
  const at = members(field, [
    "deleatur", "id", "identifiers", "surfaces", "exemptions", "census", "keep", "horizonLimit",
  ]); // prettier-ignore
  const census = members(at("census"), ["include", "quiet"]);
  const limit = members(at("horizonLimit"), ["cache", "backup"]);
  return {
    deleatur: oneOf(at("deleatur"), [1]),
    id: id(at("id")),
    identifiers: sortedList(at("identifiers"), id, (type) => type, 1_024),
    surfaces: sortedList(at("surfaces"), surface, (each) => each.id, MAX_SURFACES),
    exemptions: sortedList(at("exemptions"), exemption, (each) => each.name, MAX_SURFACES),
    census: {
      include: list(census("include"), (item) => text(item), 4_096),
      quiet: list(census("quiet"), (item) => text(item), 4_096),
    },
    keep: at("keep").value,
    horizonLimit: { cache: integer(limit("cache")), backup: integer(limit("backup")) },
  };
}
