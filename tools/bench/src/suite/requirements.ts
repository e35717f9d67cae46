import { isInstalled, redisAvailable } from '@gangan/testing';
import { processorTimeKnown } from '../environment/processor-time.js';

const requirements = {
  redis: () => (redisAvailable ? undefined : 'redis-server is not installed'),
  kannel: () =>
    isInstalled('bearerbox') && isInstalled('smsbox')
      ? undefined
      : 'bearerbox and smsbox (Debian package kannel) are not installed',
  proc: () => (processorTimeKnown ? undefined : 'there is no /proc'),
} as const;

/** What a scenario needs on this machine. */
export type Requirement = keyof typeof requirements;

/** The reason why a scenario cannot run here, or `undefined`. */
export const missingFor = (needs: readonly Requirement[]): string | undefined =>
  needs.map((need) => requirements[need]()).find((reason) => reason !== undefined);
