import type { SubmissionCounts } from '@gangan/providers';
import { codeOf, type JudgedRequest } from './judge-result.js';
import type { SubmitResult } from '../message-provider.js';

/** A circuit opens after this many requests in a row failed. */
const maxFailures = 5;
/** A provider is paused after this many answers that our account is at fault. */
const maxRefusals = 3;

/** What one worker has seen of a provider. */
export class ObservedProvider {
  /** How often its state has changed. */
  changes = 0;
  private failuresInARow = 0;
  /** Since it last accepted a message: answers that our account is at fault, each about other deliveries. */
  private refusals = 0;
  private readonly refused = new Set<string>();
  private submitted = 0;
  private notAccepted = 0;
  private code: string | undefined;
  /** The submissions of the current second, and of the one before. */
  private second = 0;
  private inSecond = 0;
  private inSecondBefore = 0;

  /** Submissions per second. */
  get rate(): number {
    return Math.max(this.inSecond, this.inSecondBefore);
  }

  count(results: readonly SubmitResult[]): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) {
      this.inSecondBefore = second === this.second + 1 ? this.inSecond : 0;
      this.inSecond = 0;
      this.second = second;
    }
    this.inSecond += results.length;
    this.submitted += results.length;
    for (const result of results) {
      if (result.kind === 'accepted') continue;
      this.notAccepted += 1;
      this.code = codeOf(result);
    }
  }

  /** The counts since the last call; undefined if nothing was submitted. */
  takeCounts(): Omit<SubmissionCounts, 'provider'> | undefined {
    const { submitted, notAccepted, code } = this;
    this.submitted = 0;
    this.notAccepted = 0;
    this.code = undefined;
    return submitted === 0 ? undefined : { submitted, notAccepted, code };
  }

  /** @returns the state that follows, and why; undefined if the provider stays up */
  judge(
    requests: readonly JudgedRequest[],
  ): { readonly state: 'open' | 'paused'; readonly code: string } | undefined {
    let lastCode = '';
    for (const { verdict, code, deliveryIds } of requests) {
      if (verdict === 'fails') [this.failuresInARow, lastCode] = [this.failuresInARow + 1, code];
      else this.failuresInARow = 0;
      if (verdict === 'account') this.countRefusal(deliveryIds);
    }
    if (requests.some(({ verdict }) => verdict === 'accepts')) this.resetRefusals();
    if (this.refusals >= maxRefusals) return { state: 'paused', code: 'account' };
    return this.failuresInARow >= maxFailures ? { state: 'open', code: lastCode } : undefined;
  }

  /** Forgets failures and refusals, because the state changes. */
  reset(): void {
    this.failuresInARow = 0;
    this.resetRefusals();
  }

  /** Each delivery counts once: its text may be the reason. */
  private countRefusal(deliveryIds: readonly string[]): void {
    if (deliveryIds.some((id) => this.refused.has(id))) return;
    this.refusals += 1;
    for (const id of deliveryIds) this.refused.add(id);
  }

  private resetRefusals(): void {
    this.refusals = 0;
    this.refused.clear();
  }
}
