import type { StoppedState } from './stored-health.js';

/**
 * What an answer says about the provider:
 * - `accepts`: it does what we ask for.
 * - `account`: our account is at fault.
 * - `answers`: it works; the answer is about the request.
 * - `fails`: there is no answer, or it is not available.
 */
export type Verdict = 'accepts' | 'account' | 'answers' | 'fails';

/** What one request says about the provider. */
export interface JudgedRequest {
  readonly verdict: Verdict;
  readonly code: string;
  /** What the request was about. Answers that our account is at fault count once for each subject. */
  readonly subjects?: readonly string[];
}

/** Why a provider is stopped. */
export interface Fault {
  readonly state: StoppedState;
  readonly code: string;
}

/** A circuit opens after this many requests in a row failed. */
const maxFailures = 5;

/** The failures of one provider, counted by one worker. */
export class FailureCounts {
  private failuresInARow = 0;
  /** Answers that our account is at fault, each about other subjects, since a request was last accepted. */
  private refusals = 0;
  private readonly refused = new Set<string>();

  constructor(private readonly maxRefusals = Infinity) {}

  /** @returns undefined if the provider stays up */
  add(requests: readonly JudgedRequest[]): Fault | undefined {
    let lastCode = '';
    for (const { verdict, code, subjects = [] } of requests) {
      if (verdict === 'fails') [this.failuresInARow, lastCode] = [this.failuresInARow + 1, code];
      else this.failuresInARow = 0;
      if (verdict === 'account') this.countRefusal(subjects);
    }
    if (requests.some(({ verdict }) => verdict === 'accepts')) this.resetRefusals();
    if (this.refusals >= this.maxRefusals) return { state: 'paused', code: 'account' };
    return this.failuresInARow >= maxFailures ? { state: 'open', code: lastCode } : undefined;
  }

  reset(): void {
    this.failuresInARow = 0;
    this.resetRefusals();
  }

  /** The text of a subject may be the reason, so each counts once. */
  private countRefusal(subjects: readonly string[]): void {
    if (subjects.some((subject) => this.refused.has(subject))) return;
    this.refusals += 1;
    for (const subject of subjects) this.refused.add(subject);
  }

  private resetRefusals(): void {
    this.refusals = 0;
    this.refused.clear();
  }
}
