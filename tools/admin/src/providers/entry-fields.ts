/** A provider or a route of a file. */
export type Entry = Readonly<Record<string, unknown>>;

/** The fields of an entry and their types. Values of other types are refused, not converted. */
export type Fields = Readonly<Record<string, readonly [isValid: (value: unknown) => boolean, rule: string]>>;

export type Report = (fault: string) => unknown;

/** Reads an entry; undefined if it has faults. @param organisationId of the organisation that it names */
export type ReadEntry<T> = (entry: Entry, organisationId: string | null, report: Report) => T | undefined;

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

export const isOneOf = (allowed: readonly string[]) => (value: unknown) =>
  isText(value) && allowed.includes(value);

/** @returns whether every known field has the right type */
export function checkFields(
  entry: Entry,
  fields: Fields,
  report: Report,
  required: readonly string[] = [],
): boolean {
  for (const field of Object.keys(entry))
    if (!Object.hasOwn(fields, field)) report(`there is no field ${field}`);
  const wrong = Object.entries(fields).filter(
    ([field, [isValid]]) =>
      (required.includes(field) || Object.hasOwn(entry, field)) && !isValid(entry[field]),
  );
  for (const [field, [, rule]] of wrong) report(`${field} must be ${rule}`);
  return wrong.length === 0;
}
