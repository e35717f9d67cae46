import { type Limit, Queues } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ActiveKey } from '../auth/api-key.repository.js';
import { GatewayConfig } from '../gateway.config.js';
import { type BucketOwner, rateLimited } from './limits.errors.js';

/**
 * All keys of an organisation share one token bucket. If RATE_LIMIT_KEY_PERCENT is below 100, each key has a smaller
 * bucket of its own as well. At 100 that bucket would never be the emptier of the two, so there is none.
 */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly queues: Queues,
    private readonly config: GatewayConfig,
  ) {}

  /** Counts a request and sets the RateLimit headers. @param tokens how many it takes @throws AppError 429 */
  async admit(key: ActiveKey, reply: FastifyReply, tokens = 1): Promise<void> {
    const counted = await this.count(key, tokens);
    if (!counted) return;
    const { owner, limit, taken } = counted;
    void reply.headers({
      'ratelimit-limit': String(limit.burst),
      'ratelimit-remaining': String(taken.remaining),
      'ratelimit-reset': String(Math.ceil(taken.fullInMs / 1_000)),
    });
    if (!taken.allowed) throw rateLimited(owner, limit, taken.nextInMs);
  }

  /** Returns the bucket that decides: the empty one, otherwise the emptier one. */
  private async count(key: ActiveKey, tokens: number) {
    const {
      RATE_LIMIT_PER_SECOND: perSecond,
      RATE_LIMIT_BURST: burst,
      RATE_LIMIT_KEY_PERCENT: percent,
    } = this.config;
    const limit = organisationLimit(key, { perSecond, burst });
    if (!limit) return undefined;
    const ofKey = percent < 100 && (await this.take('key', key.id, shareOf(limit, percent), tokens));
    if (ofKey && !ofKey.taken.allowed) return ofKey;
    const ofAll = await this.take('organisation', key.organisationId, limit, tokens);
    return ofKey && ofAll.taken.allowed && ofKey.taken.remaining < ofAll.taken.remaining ? ofKey : ofAll;
  }

  /** A request that costs more than the bucket holds takes all of it: otherwise it could never succeed. */
  private async take(owner: BucketOwner, id: string, limit: Limit, tokens: number) {
    const count = Math.min(tokens, Math.max(1, Math.floor(limit.burst)));
    const bucket = `${owner}:${id}`;
    const all = await Promise.all(
      Array.from({ length: count }, () => this.queues.limits.take(bucket, limit)),
    );
    const [taken] = all.toSorted(
      (a, b) => Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining,
    );
    if (!taken) throw new Error('A request takes at least one token');
    const missingMs = ((count - 1) / limit.perSecond) * 1_000;
    return { owner, limit, taken: { ...taken, nextInMs: taken.nextInMs + missingMs } };
  }
}

/** The limit of an organisation: its own where set, otherwise the defaults. A rate of 0 means no limit (undefined). */
export function organisationLimit(
  own: Pick<ActiveKey, 'requestsPerSecond' | 'requestBurst'>,
  defaults: Limit,
): Limit | undefined {
  const perSecond = own.requestsPerSecond ?? defaults.perSecond;
  if (perSecond === 0) return undefined;
  const burst = own.requestBurst ?? Math.max(defaults.burst, perSecond);
  // A bucket of size 0 would reject every request.
  return { perSecond, burst: burst === 0 ? perSecond : burst };
}

export const shareOf = ({ perSecond, burst }: Limit, percent: number): Limit => ({
  perSecond: (perSecond * percent) / 100,
  burst: Math.max(1, Math.floor((burst * percent) / 100)),
});
