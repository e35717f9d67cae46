import type { Limit } from '@gangan/queue';

/** What an organisation may do, as its row says it: NULL takes the configured default. */
interface OwnLimits {
  readonly requestsPerSecond: number | null;
  readonly requestBurst: number | null;
}

/** The limit that holds for an organisation; none where its rate is 0. */
export function organisationLimit(own: OwnLimits, defaults: Limit): Limit | undefined {
  const perSecond = own.requestsPerSecond ?? defaults.perSecond;
  if (perSecond === 0) return undefined;
  const burst = own.requestBurst ?? Math.max(defaults.burst, perSecond);
  // Without a burst a second's worth may still come at once: a bucket that holds nothing would let nothing through.
  return { perSecond, burst: burst === 0 ? perSecond : burst };
}

/** What one key may use of it. */
export const shareOf = ({ perSecond, burst }: Limit, percent: number): Limit => ({
  perSecond: (perSecond * percent) / 100,
  burst: Math.max(1, Math.floor((burst * percent) / 100)),
});
