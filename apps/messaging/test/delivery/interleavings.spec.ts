import { repetitions } from '@gangan/testing';
import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { DeliveryScenario, type Step } from '../support/delivery-scenario.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import { fates } from '../support/scripted-carriers.js';

const which = fc.nat(20);
const fate = fc.constantFrom(...fates);
const state = fc.constantFrom(
  'sent' as const,
  'delivered' as const,
  'undelivered' as const,
  'expired' as const,
);
const recipients = fc.integer({ min: 1, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant('accept' as const), recipients }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('send' as const), recipients, fate }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('due' as const), which, fate }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('sweep' as const), fate }) },
  { weight: 1, arbitrary: fc.constant({ is: 'expire' as const }) },
  { weight: 3, arbitrary: fc.constant({ is: 'answer late' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('report' as const),
      which,
      state,
      isDnd: fc.boolean(),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('forge' as const), which, state }) },
  { weight: 1, arbitrary: fc.constant({ is: 'match parked' as const }) },
);

describe('deliveries with random events in random order', () => {
  const fixture = DeliveryFixture.use();

  it('end once, for a reason, with the right refund and callbacks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const scenario = await DeliveryScenario.begin(fixture);
        for (const next of steps) {
          await scenario.tell(next);
          await scenario.check();
        }
        await scenario.end();
      }),
      { numRuns: repetitions(4, 20), endOnFailure: false },
    );
  });
});
