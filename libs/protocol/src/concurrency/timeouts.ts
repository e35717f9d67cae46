/** Waits for `work` for at most `timeoutMs`, then rejects with the error that `timeoutError` makes. */
export async function withTimeout<T>(
  timeoutMs: number,
  work: Promise<T>,
  timeoutError: () => Error = () => new Error(`no answer within ${timeoutMs} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(timeoutError());
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export interface ProviderCallOptions<T> {
  /** The result when the call fails or takes too long. */
  readonly fallback: T;
  readonly onError: (error: unknown) => void;
  /** Receives a result that arrives after the timeout. */
  readonly onLateResult: (result: T) => Promise<void>;
}

/** Calls a provider and waits for at most `timeoutMs`. Never rejects: an error or a timeout gives the fallback. */
export async function callProvider<T>(
  call: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  { fallback, onError, onLateResult }: ProviderCallOptions<T>,
): Promise<T> {
  const aborter = new AbortController();
  const result = call(aborter.signal).catch((error: unknown) => {
    onError(error);
    return fallback;
  });
  return withTimeout(timeoutMs, result).catch(() => {
    aborter.abort();
    result.then(onLateResult).catch(onError);
    return fallback;
  });
}
