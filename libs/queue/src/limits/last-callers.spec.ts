import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inUseMs } from './bucket-store.js';
import { LastCallers } from './last-callers.js';

/** A call of a caller at one of three processes, or an exchange of what one of them knows with the store. */
const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 6_000 }),
    at: fc.nat({ max: 2 }),
    caller: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 40 },
);

type Calls = Map<string, number>;

const lastOther = (calls: Calls, caller: string): number =>
  Math.max(-Infinity, ...[...calls].filter(([other]) => other !== caller).map(([, at]) => at));

const copyLater = (from: Calls, to: Calls): void => {
  for (const [caller, at] of from) to.set(caller, Math.max(at, to.get(caller) ?? -Infinity));
};

describe('LastCallers', () => {
  it('know of each caller when another one called, as if they kept all calls', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const known = Array.from({ length: 4 }, () => ({
          callers: new LastCallers(),
          all: new Map() as Calls,
        }));
        const [store] = known;
        let now = 0;
        for (const { afterMs, at, caller } of given) {
          now += afterMs;
          const process = known[at + 1];
          if (!process || !store) throw new Error('There are four');
          if (caller !== undefined) {
            const isShared = now - lastOther(process.all, caller) <= inUseMs;
            expect(process.callers.note(caller, now)).toBe(isShared);
            process.all.set(caller, now);
            continue;
          }
          const report = process.callers.report(now);
          if (!report) continue;
          store.callers.receive(report, now);
          copyLater(process.all, store.all);
          const answer = store.callers.report(now);
          if (answer) process.callers.receive(answer, now);
          copyLater(store.all, process.all);
        }
      }),
    );
  });
});
