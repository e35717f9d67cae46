import { FairSlots, halfOfAvailable } from '@gangan/leases';
import { expect, it } from '@jest/globals';

import { WaitingHosts } from './waiting-hosts.js';

const hostOf = (organisationId: string, host: number) => ({ organisationId, host: `${host}.example` });
const slots = (total: number) => new FairSlots({ total, perKey: halfOfAvailable });
const pools = (fast: number) => ({ fast: slots(fast), slow: slots(4) });

it('takes as many hosts as there are slots, organisations in turn', () => {
  const waiting = new WaitingHosts();
  for (const organisation of ['a', 'b', 'c']) {
    for (let host = 1; host <= 3; host++) waiting.add('fast', hostOf(organisation, host));
  }
  expect(waiting.takeNext(pools(0))).toEqual([]);
  expect(waiting.takeNext(pools(2))).toEqual([hostOf('a', 1), hostOf('b', 1)]);
  expect(waiting.takeNext(pools(1))).toEqual([hostOf('c', 1)]);
  expect([waiting.has(hostOf('a', 1)), waiting.has(hostOf('a', 2))]).toEqual([false, true]);
  expect(waiting.takeNext(pools(100))).toHaveLength(6);
  expect(waiting.takeNext(pools(100))).toEqual([]);
});

it('skips an organisation that has no free slot', () => {
  const waiting = new WaitingHosts();
  waiting.add('fast', hostOf('a', 1));
  waiting.add('fast', hostOf('b', 1));
  const fast = slots(4);
  fast.take('a', 2);
  expect(waiting.takeNext({ fast, slow: slots(1) })).toEqual([hostOf('b', 1)]);
  expect(waiting.has(hostOf('a', 1))).toBe(true);
});
