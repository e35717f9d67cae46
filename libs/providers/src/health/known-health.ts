import { type ProviderState, rateGrowth, type StoredHealth } from './stored-health.js';

/** A provider without a configured rate has recovered at this rate. */
const recoveredRate = 10_000;

/** The health of a provider, as this worker last read it. */
export class KnownHealth {
  readonly state: ProviderState;
  private readonly readAt = performance.now();
  private readonly testInMs: number;
  private readonly retryAfterMs: number;
  private readonly slowedRate: number | null;

  constructor({ state, testInMs, retryAfterMs, slowedRate }: StoredHealth) {
    this.state = state;
    this.testInMs = testInMs;
    this.retryAfterMs = retryAfterMs;
    this.slowedRate = slowedRate;
  }

  /** The time until a call may go to the provider; 0 if it is up, or if one call can test it now. */
  get retryInMs(): number {
    const waitMs = Math.max(this.retryAfterMs, this.state === 'up' ? 0 : this.testInMs);
    return Math.max(0, this.readAt + waitMs - performance.now());
  }

  /** Recipients per second; 0 if there is no limit. */
  rate(configured: number): number {
    if (this.slowedRate === null) return configured;
    const rate = this.slowedRate * rateGrowth ** ((performance.now() - this.readAt) / 1_000);
    const isRecovered = rate >= (configured === 0 ? recoveredRate : configured);
    return isRecovered ? configured : Math.max(1, Math.floor(rate));
  }
}
