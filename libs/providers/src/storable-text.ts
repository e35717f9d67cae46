/** Counted in code points, without what Postgres does not take: U+0000 and halves of surrogate pairs. */
export function storableText(text: string, maxLength: number): string {
  const storable = text.replaceAll('\u0000', '').toWellFormed();
  return storable.length <= maxLength ? storable : Array.from(storable).slice(0, maxLength).join('');
}
