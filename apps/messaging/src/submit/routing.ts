import { Injectable } from '@nestjs/common';
import type { MessageProvider, Reason } from '../providers/message-provider.js';
import { Providers } from '../providers/providers.js';
import { type Candidate, laneOf } from './delivery.js';
import { Patience } from '../outcome/retry-policy.js';
import { noAnswer, noProvider } from '../outcome/reasons.js';

/** How long a delivery waits that no provider is configured for. */
const noProviderMs = 30_000;

/** What can be done for a delivery that waits. */
export type Prospect =
  | { readonly kind: 'carry'; readonly provider: MessageProvider }
  | { readonly kind: 'wait'; readonly ms: number; readonly isForlorn: boolean }
  | { readonly kind: 'end'; readonly state: 'rejected' | 'failed' | 'expired'; readonly reason: Reason };

/** Decides what is done next, and by whom. What a carrier may have is never given to another, nor paid back. */
@Injectable()
export class Prospects {
  constructor(
    private readonly providers: Providers,
    private readonly patience: Patience,
  ) {}

  of(candidate: Candidate): Prospect {
    return candidate.unsure && candidate.provider !== null
      ? this.ofUnsure(candidate, this.providers.named(candidate.provider))
      : this.ofSure(candidate);
  }

  /** It was submitted for the last time: from now on its provider is asked, or waited for. */
  isSpent(candidate: Pick<Candidate, 'mode' | 'channel' | 'messageId' | 'attempt'>): boolean {
    const { mode, channel, attempt } = candidate;
    const round = Math.max(1, this.providers.of(mode, channel).length);
    return this.patience.isLast(laneOf(candidate), attempt, round);
  }

  /** May have been taken, and must not be submitted again: it waits for its report, and then has expired. */
  ofDoubt({ ageMs }: Candidate, longestMs = Infinity): Prospect {
    const leftMs = this.patience.leftMs(ageMs);
    return leftMs === 0
      ? { kind: 'end', state: 'expired', reason: noAnswer }
      : { kind: 'wait', ms: Math.min(leftMs, longestMs), isForlorn: longestMs !== Infinity };
  }

  private ofUnsure(candidate: Candidate, provider: MessageProvider | undefined): Prospect {
    if (!provider) return this.ofDoubt(candidate, noProviderMs);
    const mayBeTold = !this.isSpent(candidate);
    const mayBeAsked = provider.ask !== undefined && this.patience.leftMs(candidate.ageMs) > 0;
    return mayBeTold || mayBeAsked ? { kind: 'carry', provider } : this.ofDoubt(candidate);
  }

  /** One provider after the other, as they are listed. */
  private ofSure({ mode, channel, provider: last, ageMs }: Candidate): Prospect {
    const round = this.providers.of(mode, channel);
    const provider = round[(round.findIndex(({ name }) => name === last) + 1) % (round.length || 1)];
    if (provider) return { kind: 'carry', provider };
    return this.patience.leftMs(ageMs) === 0
      ? { kind: 'end', state: 'failed', reason: noProvider }
      : { kind: 'wait', ms: noProviderMs, isForlorn: true };
  }
}
