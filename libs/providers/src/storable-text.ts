/** Cuts a text to this many code points, without what Postgres does not take: U+0000 and lone surrogates. */
export function storableText(text: string, maxLength: number): string {
  const storable = text.replaceAll('\u0000', '').toWellFormed();
  if (storable.length <= maxLength) return storable;
  // A code point has one or two units.
  return Array.from(storable.slice(0, 2 * maxLength))
    .slice(0, maxLength)
    .join('');
}
