import type { Answered, Outcome } from '../guarded/outcome.js';
import { retryAfterMs } from '../guarded/retry-after.js';
import { pauseAfter } from './schedule.js';

/** What became of an attempt; `unsent` when the fault is ours. */
export type Attempted = Outcome | { readonly outcome: 'failed'; readonly reason: 'unsent' };

export interface Verdict {
  /** `pending`: it is tried again after the pause. */
  readonly state: 'delivered' | 'gone' | 'pending' | 'failed';
  readonly pauseMs?: number;
  /** Whether the host is in order, whatever it thought of this callback. */
  readonly hostWorks: boolean;
}

const gone = 410;
/** Answers that say: not now. */
const overburdened = new Set([408, 425, 429]);

/** @param attempts how many have been made by now, since it was first sent or last sent again by hand */
export function judge(attempted: Attempted, attempts: number, now: Date): Verdict {
  if (attempted.outcome === 'failed') {
    return { ...tryAgain(attempts), hostWorks: attempted.reason === 'unsent' };
  }
  const { status } = attempted;
  if (status >= 200 && status < 300) return { state: 'delivered', hostWorks: true };
  if (status === gone) return { state: 'gone', hostWorks: true };
  const hostWorks = status < 500 && !overburdened.has(status);
  return { ...tryAgain(attempts, askedMs(attempted, now)), hostWorks };
}

function tryAgain(attempts: number, askedMs?: number): Omit<Verdict, 'hostWorks'> {
  const pauseMs = pauseAfter(attempts, askedMs);
  return pauseMs === undefined ? { state: 'failed' } : { state: 'pending', pauseMs };
}

const askedMs = ({ headers: { retryAfter } }: Answered, now: Date): number | undefined =>
  retryAfter === undefined ? undefined : retryAfterMs(retryAfter, now);
