import { setTimeout as sleep } from 'node:timers/promises';

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
  const callAborter = new AbortController();
  const timerAborter = new AbortController();
  const result = call(callAborter.signal).then(
    (value) => ({ value }),
    (error: unknown) => {
      onError(error);
      return { value: fallback };
    },
  );
  const timeout = sleep(timeoutMs, undefined, { signal: timerAborter.signal, ref: false }).catch(
    () => undefined,
  );
  const first = await Promise.race([result, timeout]);
  timerAborter.abort();
  if (first) return first.value;
  callAborter.abort();
  result.then(({ value }) => onLateResult(value)).catch(onError);
  return fallback;
}
