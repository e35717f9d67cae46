import { setTimeout as pause } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { buyAirtime } from '@gangan/contracts';
import { Database, migrate, sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { purchaseIdOf } from '@gangan/providers';
import { migrateQueue, newQueueKey, Queues } from '@gangan/queue';
import { DataSealer, newSealingKey } from '@gangan/sealing';
import {
  anOrganisation,
  createTestDatabase,
  type FakeAirtime,
  type FakePayment,
  seededRandom,
  type TestDatabase,
  until,
  WorkerProcess,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { addProvider, addRoute } from './support/add-provider.js';
import { startVtpass, vtpassSecrets } from './support/open-adapters.js';

const random = seededRandom('airtime kill test with VTpass');
/** `KILLS=20` takes minutes. */
const kills = Number(process.env['KILLS'] ?? 2);
const perKill = 50;
const start = 100_000_000n;
const kobo = 10_000n;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Price = { readonly amount: number } | { readonly product_id: string };

interface Ended {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly reference: string | null;
  readonly isBundle: boolean;
}

describe('airtime workers that buy from VTpass, killed again and again', () => {
  let postgres: TestDatabase;
  let database: Database;
  let queues: Queues;
  let vtpass: FakeAirtime;
  let organisationId: string;
  let environment: Record<string, string>;
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate, migrateQueue);
    database = new Database({ url: postgres.url, poolSize: 4 });
    vtpass = await startVtpass();
    vtpass.payment = () => paymentOf(random());
    organisationId = (await anOrganisation(database, { mode: 'live', balanceKobo: start })).id;
    const [key, dataKey] = [newQueueKey(), newSealingKey()];
    const provider = await addProvider(database, new DataSealer([dataKey]), {
      name: 'vtpass',
      kind: 'vtpass',
      secrets: vtpassSecrets,
      // The fake never charges its account, so that its credit says nothing.
      settings: { url: vtpass.url, allowPrivate: true },
    });
    await addRoute(database, [provider]);
    const connection = { kind: 'postgres', url: postgres.url, poolSize: 4 } as const;
    queues = await Queues.open({ connection, keys: [key] }, 'producer', quiet);
    environment = {
      DATABASE_URL: postgres.url,
      QUEUE_KEY: key,
      DATA_KEY: dataKey,
      AIRTIME_PROVIDER_TIMEOUT_MS: '3000',
      AIRTIME_ASK_AFTER: '1s,2s,5s',
      DAILY_SPEND: '0',
      AIRTIME_DAILY_SPEND: '0',
    };
    workers.push(new WorkerProcess('airtime', environment), new WorkerProcess('airtime', environment));
    for (const worker of workers) await worker.untilReady();
  });
  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    await queues.client.close();
    await queues.close();
    await database.close();
    await postgres.drop();
    await vtpass.stop();
  });

  /** A caller that sends the same request again until it gets a response. */
  const buy = async (recipient: string, price: Price): Promise<string> => {
    const context = newContext({ organisationId });
    for (;;) {
      try {
        const request = { network: 'MTN', recipient, ...price } as const;
        return (await firstValueFrom(queues.client.send(buyAirtime, request, context))).id;
      } catch (error) {
        if ((error as { status?: number }).status !== 503) throw error;
        await pause(200);
      }
    }
  };

  it('no request id serves two purchases, and no purchase gets two top-ups', async () => {
    const product_id = await until('the products are read', async () => {
      const where = { provider: 'vtpass', network: 'MTN', priceKobo: kobo };
      return (await database.airtimeProduct.findFirst({ where }))?.id;
    });
    const buying: Promise<string>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < perKill; index += 1)
        buying.push(
          buy(
            `+234803${String(1_000_000 + round * perKill + index)}`,
            index % 3 === 0 ? { product_id } : { amount: 100 },
          ),
        );
      await pause(random() * 300);
      const index = round % workers.length;
      await workers[index]?.untilReady();
      await workers[index]?.kill();
      workers[index] = new WorkerProcess('airtime', environment);
    }
    const ids = await Promise.all(buying);
    expect(new Set(ids).size).toBe(kills * perKill);
    const open = sql`SELECT id FROM airtime_purchase WHERE state NOT IN ('success', 'failed') LIMIT 1`;
    // VTpass is asked for three minutes about a payment that it never received. 7 s are enough here.
    const age = sql`
      UPDATE airtime_purchase SET submitted_at = created_at - interval '3 minutes'
      WHERE state = 'sent' AND submitted_at < now() - interval '7 seconds'`;
    await until('no purchase is open', async () => {
      await database.execute(age);
      return (await database.query(open)).length === 0;
    });

    const ended = await database.query<Ended>(sql`
      SELECT id, state, error_code AS code, request_reference AS reference, product_id IS NOT NULL AS "isBundle"
      FROM airtime_purchase`);
    // Every payment arrived once, and each request id ends with the id of its purchase.
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
    expect(await balancesOf(database, organisationId)).toEqual({
      available: start - BigInt(successes.length) * kobo,
      reserved: 0n,
    });
    expect(await checkLedger(database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });
});

function paymentOf(drawn: number): FakePayment {
  if (drawn < 0.05) return 'drop';
  if (drawn < 0.1) return 'lose';
  if (drawn < 0.15) return 'pend';
  return drawn < 0.2 ? 'refuse' : 'deliver';
}
