import type { FieldError } from '@gangan/protocol';

export type Fields = Readonly<Record<string, unknown>>;

/** `contradictions` are fields that are given twice with different values. `null` means absent. */
export function mergeFields(source: 'body' | 'path', fields: Fields, query: Fields) {
  const queried = withPlus(query);
  const given: Fields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const contradictions = Object.keys(queried)
    .filter((name) => Object.hasOwn(given, name) && given[name] !== queried[name])
    .map((field): FieldError => {
      const message = `${field} has different values in the ${source} and in the query`;
      return { field, message, type: 'value_error' };
    });
  return { fields: { ...queried, ...given }, contradictions };
}

/** An unencoded `+` of an international number arrives as a space. */
export const withPlus = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^ (?=\d)/, '+') : value,
    ]),
  );
