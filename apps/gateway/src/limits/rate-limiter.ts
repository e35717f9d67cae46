import type { AppError } from '@gangan/protocol';
import { type Limit, type LimitDecision, Queues } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ActiveKey } from '../auth/api-key.repository.js';
import { GatewayConfig } from '../gateway.config.js';
import { type BucketOwner, rateLimited } from './limits.errors.js';
import { affordable, takeTokens } from '../http/request/take-tokens.js';

/** What was taken from the bucket that decides. */
interface Taken {
  readonly owner: BucketOwner;
  readonly limit: Limit;
  readonly decision: LimitDecision;
}

type MaybePromise<T> = T | Promise<T>;

/** Calls `next` at once if the value is known, so that most requests are counted without a promise. */
const whenKnown = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

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

  /** Counts a request and sets the RateLimit headers. @param tokens how many it takes @returns the error 429 if it took none */
  admit(key: ActiveKey, reply: FastifyReply, tokens = 1): MaybePromise<AppError | undefined> {
    return whenKnown(this.count(key, tokens), (taken) => {
      if (!taken) return undefined;
      const { owner, limit, decision } = taken;
      void reply.headers({
        'ratelimit-limit': String(limit.burst),
        'ratelimit-remaining': String(decision.remaining),
        'ratelimit-reset': String(Math.ceil(decision.fullInMs / 1_000)),
      });
      return decision.allowed ? undefined : rateLimited(owner, limit, decision.nextInMs);
    });
  }

  /** Returns the bucket that decides: the empty one, otherwise the emptier one. */
  private count(key: ActiveKey, tokens: number): MaybePromise<Taken | undefined> {
    const {
      RATE_LIMIT_PER_SECOND: perSecond,
      RATE_LIMIT_BURST: burst,
      RATE_LIMIT_KEY_PERCENT: percent,
    } = this.config;
    const limit = organisationLimit(key, { perSecond, burst });
    if (!limit) return undefined;
    const takeOfAll = () => this.take('organisation', key.organisationId, limit, tokens);
    if (percent >= 100) return takeOfAll();
    return whenKnown(this.take('key', key.id, shareOf(limit, percent), tokens), (ofKey) =>
      ofKey.decision.allowed ? whenKnown(takeOfAll(), (ofAll) => emptier(ofKey, ofAll)) : ofKey,
    );
  }

  private take(owner: BucketOwner, id: string, limit: Limit, tokens: number): MaybePromise<Taken> {
    const count = affordable(tokens, limit);
    const { limits } = this.queues;
    const bucket = `${owner}:${id}`;
    const decided = count === 1 ? limits.takeAtOnce(bucket, limit) : takeTokens(limits, bucket, limit, count);
    return whenKnown(decided, (decision) => ({ owner, limit, decision }));
  }
}

const emptier = (ofKey: Taken, ofAll: Taken): Taken =>
  ofAll.decision.allowed && ofKey.decision.remaining < ofAll.decision.remaining ? ofKey : ofAll;

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
