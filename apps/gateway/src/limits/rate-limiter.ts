import type { AppError } from '@gangan/protocol';
import { type Limit, type LimitDecision, Queues } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ActiveKey } from '../auth/api-key.repository.js';
import { GatewayConfig } from '../gateway.config.js';
import { type BucketOwner, rateLimited } from './limits.errors.js';
import { affordable, takeTokens } from '../http/request/take-tokens.js';

interface Bucket {
  readonly owner: BucketOwner;
  readonly id: string;
  readonly limit: Limit;
}

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

/** What a key may use of the rate while another one is in use, if they share it fairly. */
const fairPercent = 50;

/**
 * All keys of an organisation share one token bucket. If RATE_LIMIT_KEY_PERCENT is below 100, each key has a smaller
 * bucket of its own as well. At 100 that bucket would never be the emptier of the two, so there is none, unless keys share
 * the rate fairly and another one is in use. A key and its successor have one bucket.
 */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly queues: Queues,
    private readonly config: GatewayConfig,
  ) {}

  /**
   * Counts a request and sets the RateLimit headers.
   * @param tokens how many it takes in all
   * @param before how many of them it took earlier; they stay taken if it is refused
   * @returns the error 429 if it took no more
   */
  admit(key: ActiveKey, reply: FastifyReply, tokens = 1, before = 0): MaybePromise<AppError | undefined> {
    return whenKnown(this.count(key, tokens, before), (taken) => {
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

  /** Returns the bucket that decides: the empty one, otherwise the emptier one. Undefined if nothing had to be taken. */
  private count(key: ActiveKey, tokens: number, before: number): MaybePromise<Taken | undefined> {
    const {
      RATE_LIMIT_PER_SECOND: perSecond,
      RATE_LIMIT_BURST: burst,
      RATE_LIMIT_KEY_PERCENT: percent,
    } = this.config;
    const limit = organisationLimit(key, { perSecond, burst });
    if (!limit) return undefined;
    const all: Bucket = { owner: 'organisation', id: key.organisationId, limit };
    const own = this.ownBucket(key, all, percent);
    if (!own) return this.take(all, tokens, before);
    return whenKnown(this.take(own, tokens, before), (ofKey) => {
      if (ofKey?.decision.allowed === false) return ofKey;
      return whenKnown(this.take(all, tokens, before), (ofAll) => {
        if (ofAll?.decision.allowed === false) this.giveBack(own, tokens, before);
        return emptier(ofKey, ofAll);
      });
    });
  }

  /** @returns undefined if the key may use all of the bucket of its organisation */
  private ownBucket({ newestId: id, fairKeys }: ActiveKey, all: Bucket, percent: number): Bucket | undefined {
    if (fairKeys && percent > fairPercent) {
      const fair: Bucket = { owner: 'sharing-key', id, limit: shareOf(all.limit, fairPercent) };
      const { limits } = this.queues;
      if (limits.hasToShare(nameOf(all), all.limit, id, nameOf(fair), fair.limit)) return fair;
    }
    return percent >= 100 ? undefined : { owner: 'key', id, limit: shareOf(all.limit, percent) };
  }

  /** @returns undefined if the bucket is too small for more than was taken before */
  private take(bucket: Bucket, tokens: number, before: number): MaybePromise<Taken | undefined> {
    const { owner, limit } = bucket;
    const taken = affordable(before, limit);
    const count = affordable(tokens, limit) - taken;
    if (count === 0) return undefined;
    const { limits } = this.queues;
    const name = nameOf(bucket);
    const decided =
      count === 1 && taken === 0
        ? limits.takeAtOnce(name, limit)
        : takeTokens(limits, name, limit, count, taken);
    return whenKnown(decided, (decision) => ({ owner, limit, decision }));
  }

  private giveBack(bucket: Bucket, tokens: number, before: number): void {
    const count = affordable(tokens, bucket.limit) - affordable(before, bucket.limit);
    if (count > 0) this.queues.limits.giveBack(nameOf(bucket), bucket.limit, count);
  }
}

const nameOf = ({ owner, id }: Bucket): string => `${owner === 'organisation' ? owner : 'key'}:${id}`;

const emptier = (ofKey: Taken | undefined, ofAll: Taken | undefined): Taken | undefined =>
  ofKey && (!ofAll || (ofAll.decision.allowed && ofKey.decision.remaining < ofAll.decision.remaining))
    ? ofKey
    : ofAll;

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
