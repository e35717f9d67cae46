import { fuzzRuns } from '@gangan/testing';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { fates } from './support/simulated-carrier.js';
import { TestAirtime } from './support/test-airtime.js';
import { type Step, Scenario } from './support/scenario.js';

const hour = 3_600_000;
const which = fc.nat(20);
const fate = fc.constantFrom(...fates);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('buy' as const),
      recipient: fc.nat(2),
      amount: fc.constantFrom(100, 0.5 + 99),
      ref: fc.constantFrom(undefined, 'a', 'b'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('settle' as const), which, fate }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('sweep' as const),
      afterMs: fc.constantFrom(0, 5_000, 60_000, 25 * hour),
      fate,
      queries: fc.constantFrom('answers' as const, 'knows nothing' as const, 'hangs' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'stall' as const }) },
  { weight: 2, arbitrary: fc.constant({ is: 'wake' as const }) },
  { weight: 2, arbitrary: fc.constant({ is: 'arrive late' as const }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('report again' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('resolve' as const),
      which,
      outcome: fc.constantFrom('success' as const, 'failed' as const),
    }),
  },
);

describe('in any order of events', () => {
  let airtime: TestAirtime;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
  });
  afterAll(() => airtime.close());

  it('no number is topped up twice, nothing is refunded on a guess, and the ledger balances', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const scenario = await Scenario.begin(airtime);
        for (const next of steps) {
          await scenario.run(next);
          await scenario.check();
        }
        await scenario.end();
      }),
      { numRuns: fuzzRuns(20), endOnFailure: false },
    );
  });
});
