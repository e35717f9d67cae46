import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { HttpClients } from '@gangan/providers';
import { africasTalkingFailure, reloadlyError, vtpassError } from '@gangan/testing';
import { Carriers } from './support/carriers.js';
import { FakeCarrier } from './support/fake-carrier.js';
import {
  openAfricasTalking,
  openReloadly,
  openVtpass,
  startAfricasTalking,
  startReloadly,
  startVtpass,
} from './support/open-adapters.js';
import { type Carrier, fates, SimulatedCarrier } from './support/simulated-carrier.js';
import { TestAirtime } from './support/test-airtime.js';
import { type Step, Scenario, ScenarioWorkers } from './support/scenario.js';

const hour = 3_600_000;
const which = fc.nat(20);
/** At each provider of the route. */
const fatesOfRoute = fc.tuple(fc.constantFrom(...fates), fc.constantFrom(...fates));
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
  { weight: 5, arbitrary: fc.record({ is: fc.constant('settle' as const), which, fates: fatesOfRoute }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('sweep' as const),
      afterMs: fc.constantFrom(0, 5_000, 60_000, 25 * hour),
      fates: fatesOfRoute,
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
  let workers: ScenarioWorkers;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    workers = new ScenarioWorkers(airtime);
  });
  afterAll(() => airtime.close());

  const clients = new HttpClients();
  afterAll(() => clients.close());

  /** The first provider of a run, and what ends it. The second one is simulated. */
  const firsts: Readonly<Record<string, () => Promise<[carrier: Carrier, stop: () => Promise<void>]>>> = {
    'a provider without HTTP': () => Promise.resolve([new SimulatedCarrier(), () => Promise.resolve()]),
    VTpass: async () => {
      const server = await startVtpass();
      return [
        new FakeCarrier(server, openVtpass(server.url, clients), vtpassError('018')),
        () => server.stop(),
      ];
    },
    "Africa's Talking": async () => {
      const server = await startAfricasTalking();
      const refusal = africasTalkingFailure('Insufficient Balance');
      return [new FakeCarrier(server, openAfricasTalking(server.url, clients), refusal), () => server.stop()];
    },
    Reloadly: async () => {
      const server = await startReloadly();
      const refusal = reloadlyError(400, 'INSUFFICIENT_BALANCE');
      return [new FakeCarrier(server, openReloadly(server.url, clients), refusal), () => server.stop()];
    },
  };

  it.each(Object.keys(firsts))(
    'no number is topped up twice, nothing is refunded on a guess, and the ledger balances (%s)',
    async (name) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
          const [carrier, stop] = (await firsts[name]?.()) ?? [];
          if (!carrier || !stop) throw new Error(name);
          const carriers = new Carriers([carrier, new SimulatedCarrier('second')]);
          const scenario = await Scenario.begin(airtime, workers, carriers);
          for (const next of steps) {
            await scenario.run(next);
            await scenario.check();
          }
          await scenario.end();
          await stop();
        }),
        {
          numRuns: name === 'a provider without HTTP' ? repetitions(6, 40) : repetitions(3, 16),
          endOnFailure: false,
        },
      );
    },
  );
});
