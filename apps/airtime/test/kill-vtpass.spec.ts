import { sql } from '@gangan/database';
import { purchaseIdOf } from '@gangan/providers';
import { DataSealer } from '@gangan/sealing';
import { type FakeAirtime, type FakePayment, seededRandom, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addProvider, addRoute } from './support/add-provider.js';
import { KilledWorkers, priceKobo } from './support/killed-workers.js';
import { startVtpass, vtpassSecrets } from './support/open-adapters.js';

const random = seededRandom('answers of VTpass');

describe('airtime workers that buy from VTpass, killed again and again', () => {
  let vtpass: FakeAirtime;
  let workers: KilledWorkers;
  beforeAll(async () => {
    vtpass = await startVtpass();
    vtpass.payment = () => paymentOf(random());
    workers = await KilledWorkers.start({
      mode: 'live',
      environment: {
        AIRTIME_PROVIDER_TIMEOUT_MS: '3000',
        AIRTIME_ASK_AFTER: '1s,2s,5s',
        DAILY_SPEND: '0',
        AIRTIME_DAILY_SPEND: '0',
      },
      prepare: async (database, dataKey) => {
        const provider = await addProvider(database, new DataSealer([dataKey]), {
          name: 'vtpass',
          kind: 'vtpass',
          secrets: vtpassSecrets,
          // The fake never charges its account, so that its credit says nothing.
          settings: { url: vtpass.url, allowPrivate: true },
        });
        await addRoute(database, [provider]);
      },
    });
  });
  afterAll(async () => {
    await workers.stop();
    await vtpass.stop();
  });

  it('no request id serves two purchases, and no purchase gets two top-ups', async () => {
    const { database } = workers;
    const bundle = await until('the products are read', async () => {
      const where = { provider: 'vtpass', network: 'MTN', priceKobo };
      return (await database.airtimeProduct.findFirst({ where }))?.id;
    });
    const ids = await workers.buyAndKill('airtime kill test with VTpass', 300, bundle);
    // VTpass is asked for three minutes about a payment that it never received. 7 s are enough here.
    const age = sql`
      UPDATE airtime_purchase SET submitted_at = created_at - interval '3 minutes'
      WHERE state = 'sent' AND submitted_at < now() - interval '7 seconds'`;
    const ended = await workers.ended(() => database.execute(age));
    // Every payment arrived once, and each request id contains the id of its purchase.
    expect([...vtpass.payments.values()].every((count) => count === 1)).toBe(true);
    const payers = [...vtpass.payments.keys()].map((requestId) => purchaseIdOf(requestId) ?? requestId);
    expect(new Set(payers).size).toBe(payers.length);
    expect(payers.every((id) => ids.includes(id))).toBe(true);
    const delivered = [...vtpass.topUps].filter(([, topUp]) => topUp === 'delivered').map(([id]) => id);
    const successes = ended.filter(({ state }) => state === 'success');
    expect(successes.map(({ reference }) => reference).sort()).toEqual(delivered.sort());
    const bundles = ended.flatMap(({ id, isBundle }) => (isBundle ? [id] : []));
    const bought = vtpass.requests.flatMap(({ path, body }) =>
      path === '/api/pay' && body.includes('"mtn-10mb-100"')
        ? [purchaseIdOf((JSON.parse(body) as { request_id: string }).request_id)]
        : [],
    );
    expect(bought.length).toBeGreaterThan(0);
    expect(bought.toSorted()).toEqual(payers.filter((id) => bundles.includes(id)).toSorted());
    const failures = ended.filter(({ state }) => state === 'failed');
    expect(failures.every(({ code }) => code === 'never_arrived' || code === 'rejected')).toBe(true);
  });
});

function paymentOf(drawn: number): FakePayment {
  if (drawn < 0.05) return 'drop';
  if (drawn < 0.1) return 'lose';
  if (drawn < 0.15) return 'pend';
  return drawn < 0.2 ? 'refuse' : 'deliver';
}
