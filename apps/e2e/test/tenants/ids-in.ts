/** Every id in a response: values of `id` and `…_id`, at any depth. */
export function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'string' && /(^|_)id$/.test(name) ? [inner] : idsIn(inner),
  );
}
