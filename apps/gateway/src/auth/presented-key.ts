/** `sk_live_…` or `sk_test_…`, with neither a scheme word nor anything else beside it. */
const keyAlone = /^sk_(?:live|test)_[\x21-\x7e]{1,200}$/;

/** The key of a request that presents exactly one. Fastify would keep the first of several, so the raw headers are read. */
export function presentedKey(rawHeaders: readonly string[]): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
  );
  const [key] = values;
  return key !== undefined && values.length === 1 && keyAlone.test(key) ? key : undefined;
}
