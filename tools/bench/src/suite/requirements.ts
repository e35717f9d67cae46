import { isInstalled } from '@gangan/testing';
import { processorTimeKnown } from '../environment/processor-time.js';

/** What a scenario may need of the machine, and why it cannot run without it. */
const requirements = {
  redis: isInstalled('redis-server') ? undefined : 'redis-server is not installed',
  proc: processorTimeKnown ? undefined : 'there is no /proc',
};

export type Requirement = keyof typeof requirements;

/** The reason why a scenario cannot run here, or `undefined`. */
export const missingFor = (needs: readonly Requirement[]): string | undefined =>
  needs.map((need) => requirements[need]).find((reason) => reason !== undefined);
