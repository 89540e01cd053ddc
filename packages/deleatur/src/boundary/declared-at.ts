// The error of a declaration that does not fit its store: met when the store is looked into, it names file, line, field and cure as those do that are met in the file.
import type { Boundary } from "../model/declaration.ts";
import { BoundaryError } from "../model/errors.ts";

export interface DeclaredPlace {
  readonly surface: string;
  readonly store: string;
  /** Below the surface: `table`. */
  readonly field: string;
}

/** `what` follows the field's name in a sentence; neither it nor `cure` may hold a value from a store. */
export function misfitError(
  code: string,
  { source }: Pick<Boundary, "source">,
  { surface, store, field }: DeclaredPlace,
  what: string,
  cure: string,
): BoundaryError {
  const name = `surfaces.${surface}.${field}`;
  const [top = field] = field.split(".");
  const line = source.lines?.get(`surfaces.${surface}.${top}`) ?? source.lines?.get(`surfaces.${surface}`);
  const file = source.file === undefined ? {} : { file: source.file };
  const where = [source.file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined);
  const prefix = where.length === 0 ? "" : `${where.join(", ")}: `;
  return new BoundaryError(code, `${prefix}${name} ${what}, ${cure}`, {
    place: { ...file, ...(line === undefined ? {} : { line }), field: name, surface, store },
    cure,
  });
}
