import { setTimeout as pause } from 'node:timers/promises';

export interface CallOptions<T> {
  /** The answer that counts when none came in time. */
  readonly otherwise: T;
  readonly failed: (error: unknown) => void;
  /** The answer that came after all. */
  readonly late: (answer: T) => Promise<void>;
}

/** Waits for an answer, but not for ever. What is thrown is no answer. */
export async function callProvider<T>(
  call: (signal: AbortSignal) => Promise<T>,
  patienceMs: number,
  { otherwise, failed, late }: CallOptions<T>,
): Promise<T> {
  const calling = new AbortController();
  const answered = new AbortController();
  const answer = call(calling.signal).then(
    (value) => ({ value }),
    (error: unknown) => {
      failed(error);
      return { value: otherwise };
    },
  );
  const timeout = pause(patienceMs, undefined, { signal: answered.signal, ref: false }).catch(
    () => undefined,
  );
  const first = await Promise.race([answer, timeout]);
  answered.abort();
  if (first) return first.value;
  calling.abort();
  answer.then(({ value }) => late(value)).catch(failed);
  return otherwise;
}
