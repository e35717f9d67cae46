/** Waits for `work`, but no longer than it may take: then it fails with what `late` gives. */
export async function withTimeout<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => Error = () => new Error(`no answer within ${milliseconds} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
