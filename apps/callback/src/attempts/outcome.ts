import { RetrySchedule } from '@gangan/leases';
import { type HttpResult, parseRetryAfter } from '@gangan/http-client';

/**
 * The result of an attempt. `unsent`: this worker failed to send it. It was not sent if its endpoint was disabled or
 * deleted (`endpoint_off`), or if callbacks of the organisation are restricted and its URL is not allowed (`refused_url`).
 */
export type AttemptResult =
  | HttpResult
  | { readonly outcome: 'failed'; readonly reason: 'unsent' | 'endpoint_off' | 'refused_url' };

export const isEndpointOff = (result: AttemptResult): boolean =>
  result.outcome === 'failed' && result.reason === 'endpoint_off';

/** The state of a callback after an attempt, and whether its host works. */
export interface Outcome {
  /** `pending`: it is retried after the delay. */
  readonly state: 'delivered' | 'gone' | 'pending' | 'failed';
  readonly retryInMs?: number;
  readonly hostWorks: boolean;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];

const schedule = new RetrySchedule(retryDelaysMs, { jitter: 0.2 });
const gone = 410;
/** Statuses that ask to retry later. */
const overloaded = new Set([408, 425, 429]);

/** @param attempts the attempts since the creation or the last resend, including this one */
export function decideOutcome(result: AttemptResult, attempts: number, now: Date): Outcome {
  if (isEndpointOff(result)) return { state: 'failed', hostWorks: true };
  if (result.outcome === 'failed') {
    return { ...retry(attempts), hostWorks: result.reason === 'unsent' };
  }
  const { status, retryAfter } = result;
  if (status >= 200 && status < 300) return { state: 'delivered', hostWorks: true };
  if (status === gone) return { state: 'gone', hostWorks: true };
  const hostWorks = status < 500 && !overloaded.has(status);
  return { ...retry(attempts, parseRetryAfter(retryAfter ?? '', now)), hostWorks };
}

function retry(attempts: number, requestedMs?: number): Omit<Outcome, 'hostWorks'> {
  const retryInMs = schedule.delayAfter(attempts, requestedMs);
  return retryInMs === undefined ? { state: 'failed' } : { state: 'pending', retryInMs };
}
