/**
 * Stands for any argument of a statement's builder, of which only the SQL text matters: every property and every call
 * gives it again, it iterates as one element, and becomes 1 or a text where those are needed.
 */
export const placeholder: unknown = new Proxy(() => undefined, {
  get: (_, property) => special.get(property) ?? (absent.has(property) ? undefined : placeholder),
  apply: () => placeholder,
});

const one = (apply: (element: unknown, index: number) => unknown): unknown[] => [apply(placeholder, 0)];

const special = new Map<string | symbol, unknown>([
  ['length', 1],
  ['size', 1],
  ['map', one],
  ['flatMap', (apply: typeof one) => one(apply as never).flat()],
  ['entries', () => [[0, placeholder]]],
  ['toString', () => 'placeholder'],
  ['toJSON', () => 'placeholder'],
  [Symbol.iterator, () => [placeholder].values()],
  [Symbol.toPrimitive, (hint: string) => (hint === 'string' ? 'placeholder' : 1)],
]);

/** With a `then` it would be awaited for ever. */
const absent = new Set<string | symbol>(['then', Symbol.toStringTag, Symbol.isConcatSpreadable]);
