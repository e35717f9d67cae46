type Field = readonly [name: string, value: string];

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** The fields of a form or query, sorted by name, then by value. */
export const sortedFields = (form: string): Field[] =>
  [...new URLSearchParams(form)].toSorted(
    ([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue),
  );
