/** Waits for each, whatever becomes of the others, and only then fails as the first of those that failed. */
export async function allEnded<T extends readonly Promise<unknown>[] | []>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
