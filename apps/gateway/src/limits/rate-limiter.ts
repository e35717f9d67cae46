import { type Limit, Queues, type LimitDecision } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import type { LivingKey } from '../auth/api-key.repository.js';
import { GatewayConfig } from '../gateway.config.js';
import { type Holder, rateLimited } from './limits.errors.js';
import { organisationLimit, shareOf } from './organisation-limit.js';

interface Counted {
  readonly holder: Holder;
  readonly limit: Limit;
  readonly taken: LimitDecision;
}

/** Where the headers of an answer are set. */
interface Answer {
  headers(values: Record<string, string>): unknown;
}

/**
 * All keys of an organisation draw on one bucket. Where a key may use only a part of it, the key has one of its own
 * besides. A bucket of the same size would never be the emptier of the two, so then there is none.
 */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly queues: Queues,
    private readonly config: GatewayConfig,
  ) {}

  /** Counts a request, and says in its answer how much is left. @throws AppError 429 */
  async admit(key: LivingKey, answer: Answer): Promise<void> {
    const counted = await this.count(key);
    if (!counted) return;
    const { holder, limit, taken } = counted;
    answer.headers({
      'ratelimit-limit': String(limit.burst),
      'ratelimit-remaining': String(taken.remaining),
      'ratelimit-reset': String(Math.ceil(taken.fullInMs / 1_000)),
    });
    if (!taken.allowed) throw rateLimited(holder, limit, taken.nextInMs);
  }

  /** The bucket that decides: the one that refuses, or else the emptier one. */
  private async count(key: LivingKey): Promise<Counted | undefined> {
    const {
      RATE_LIMIT_PER_SECOND: perSecond,
      RATE_LIMIT_BURST: burst,
      RATE_LIMIT_KEY_PERCENT: percent,
    } = this.config;
    const limit = organisationLimit(key, { perSecond, burst });
    if (!limit) return undefined;
    const own = percent < 100 && (await this.take('key', key.id, shareOf(limit, percent)));
    if (own && !own.taken.allowed) return own;
    const all = await this.take('organisation', key.organisationId, limit);
    return own && all.taken.allowed && own.taken.remaining < all.taken.remaining ? own : all;
  }

  private async take(holder: Holder, id: string, limit: Limit): Promise<Counted> {
    return { holder, limit, taken: await this.queues.limits.take(`${holder}:${id}`, limit) };
  }
}
