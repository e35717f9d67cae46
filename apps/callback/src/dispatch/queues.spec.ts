import { expect, it } from '@jest/globals';
import { Occupancy } from './occupancy.js';
import { Queues } from './queues.js';

const hostOf = (organisationId: string, host: number) => ({ organisationId, host: `${host}.example` });
const lanes = (fast: number) => ({ fast: new Occupancy(fast), slow: new Occupancy(4) });

it('as many leave the queue as there are slots for, and the organisations have their turns', () => {
  const queues = new Queues();
  for (const organisation of ['a', 'b', 'c']) {
    for (let host = 1; host <= 3; host++) queues.add('fast', hostOf(organisation, host));
  }
  expect(queues.next(lanes(0))).toEqual([]);
  expect(queues.next(lanes(2))).toEqual([hostOf('a', 1), hostOf('b', 1)]);
  expect(queues.next(lanes(1))).toEqual([hostOf('c', 1)]);
  expect([queues.has(hostOf('a', 1)), queues.has(hostOf('a', 2))]).toEqual([false, true]);
  expect(queues.next(lanes(100))).toHaveLength(6);
  expect(queues.next(lanes(100))).toEqual([]);
});

it('an organisation that may take no more lets the others pass', () => {
  const queues = new Queues();
  queues.add('fast', hostOf('a', 1));
  queues.add('fast', hostOf('b', 1));
  const fast = new Occupancy(4, new Map([['a', 2]]));
  expect(queues.next({ fast, slow: new Occupancy(1) })).toEqual([hostOf('b', 1)]);
  expect(queues.has(hostOf('a', 1))).toBe(true);
});
