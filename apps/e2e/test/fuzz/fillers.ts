/** Units whose repetition is slow in careless patterns, parsers and text functions. */
export const fillers: Readonly<Record<string, string>> = {
  'inner spaces': ' ',
  tabs: '\t',
  'combining marks': '\u0301',
  'opening braces': '{{',
  commas: ',',
  'opening brackets': '[',
};

/** Bytes: a short text, six times as much, and so on up to the limit. */
export function sizesUpTo(limit: number): number[] {
  const sizes: number[] = [];
  for (let size = Math.min(4_000, Math.floor(limit / 6)); size * 2 < limit; size *= 6) sizes.push(size);
  return [...sizes, limit];
}

/**
 * A text that begins like a valid one, so that checks of its beginning pass, and goes on with the unit.
 *
 * @param size bytes of the text after `encode`
 */
export function filled(
  start: string,
  unit: string,
  size: number,
  encode: (text: string) => string = String,
): string {
  const rest = size - Buffer.byteLength(encode(start)) - 1;
  return `${start}${unit.repeat(Math.max(0, Math.floor(rest / Buffer.byteLength(encode(unit)))))}1`;
}
