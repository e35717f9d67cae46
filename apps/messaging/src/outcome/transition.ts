import { Injectable } from '@nestjs/common';
import type { Answer } from '../providers/message-provider.js';
import { Providers } from '../providers/providers.js';
import type { Verdict } from './apply.js';
import { type Held, laneOf } from '../submit/delivery.js';
import { Patience } from './retry-policy.js';
import { noAnswer } from './reasons.js';

/** What follows from a provider's answer. */
@Injectable()
export class Verdicts {
  constructor(
    private readonly providers: Providers,
    private readonly patience: Patience,
  ) {}

  of(held: Held, answer: Answer): Verdict {
    const { kind: outcome } = answer;
    switch (answer.kind) {
      case 'accepted':
        return {
          ...{ held, outcome, state: 'sent', inMs: this.patience.validityMs },
          providerReference: answer.providerReference,
        };
      case 'rejected':
      case 'failed':
        return { held, outcome, state: answer.kind, reason: answer.reason };
      case 'transient': {
        if (this.isDoubtful(held)) return { ...this.ofDoubt(held), outcome, reason: answer.reason };
        const inMs = this.untilNext(held);
        return {
          held,
          outcome,
          state: inMs === undefined ? 'failed' : 'queued',
          inMs,
          reason: answer.reason,
        };
      }
      case 'unknown':
        return { ...this.ofDoubt(held), outcome, reason: answer.reason ?? noAnswer };
    }
  }

  /** An attempt before may have been taken, whatever is said of this one; and nobody can be asked about it. */
  private isDoubtful({ unsure, provider }: Held): boolean {
    return unsure && this.providers.named(provider)?.ask === undefined;
  }

  /** It is submitted, or asked for, again; after the last attempt it is asked for, or waited for, while it is valid. */
  private ofDoubt(held: Held): Pick<Verdict, 'held' | 'state' | 'inMs'> {
    const canBeAsked = this.providers.named(held.provider)?.ask !== undefined;
    const leftMs = this.patience.leftMs(held.ageMs);
    const atLast = canBeAsked ? Math.min(leftMs, this.patience.untilAskedAgainMs(laneOf(held))) : leftMs;
    return { held, state: 'submitting', inMs: this.untilNextRound(held) ?? atLast };
  }

  /** Surely nobody has it, so that the next provider may try at once. */
  private untilNext(held: Held): number | undefined {
    const round = this.roundOf(held);
    const isLastOfRound = round.findIndex(({ name }) => name === held.provider) >= round.length - 1;
    if (isLastOfRound) return this.untilNextRound(held);
    return this.patience.isLast(laneOf(held), held.attempt, round.length) ? undefined : 0;
  }

  private untilNextRound(held: Held): number | undefined {
    return this.patience.afterRound(laneOf(held), held.attempt, Math.max(1, this.roundOf(held).length));
  }

  private roundOf({ mode, channel }: Held) {
    return this.providers.of(mode, channel);
  }
}
