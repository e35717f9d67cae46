import { setTimeout as pause } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { buyAirtime } from '@gangan/contracts';
import { Database, migrate, sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { newSealingKey } from '@gangan/sealing';
import { migrateQueue, newQueueKey, type QueueConnection, Queues } from '@gangan/queue';
import {
  anOrganisation,
  describeWithRedis,
  seededRandom,
  createTestDatabase,
  startRedis,
  type TestDatabase,
  type TestRedis,
  until,
  WorkerProcess,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';

const random = seededRandom('airtime kill test');
/** `KILLS=20` takes minutes. */
const kills = Number(process.env['KILLS'] ?? 2);
const perKill = 50;
const start = 100_000_000n;
const kobo = 10_000n;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Buys while workers are killed, with the queues in Postgres or Redis. */
function survivesItsWorkers(redisUrl: () => string | undefined): void {
  let postgres: TestDatabase;
  let database: Database;
  let queues: Queues;
  let organisationId: string;
  let environment: Record<string, string>;
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate, migrateQueue);
    database = new Database({ url: postgres.url, poolSize: 4 });
    organisationId = (await anOrganisation(database, { balanceKobo: start })).id;
    const key = newQueueKey();
    const url = redisUrl();
    const connection: QueueConnection =
      url === undefined ? { kind: 'postgres', url: postgres.url, poolSize: 4 } : { kind: 'redis', url };
    queues = await Queues.open({ connection, keys: [key] }, 'producer', quiet);
    environment = {
      DATABASE_URL: postgres.url,
      QUEUE_KEY: key,
      DATA_KEY: newSealingKey(),
      ...(url !== undefined && { REDIS_URL: url }),
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
  });

  /** A caller that sends the same request again until it gets a response. */
  const buy = async (recipient: string): Promise<string> => {
    const context = newContext({ organisationId });
    for (;;) {
      try {
        const request = { network: 'MTN', amount: 100, recipient } as const;
        return (await firstValueFrom(queues.client.send(buyAirtime, request, context))).id;
      } catch (error) {
        if ((error as { status?: number }).status !== 503) throw error;
        await pause(200);
      }
    }
  };

  const killAndReplace = async (index: number): Promise<void> => {
    await workers[index]?.untilReady();
    await workers[index]?.kill();
    workers[index] = new WorkerProcess('airtime', environment);
  };

  it('tops up no number twice, finishes every purchase and keeps every kobo', async () => {
    const buying: Promise<string>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < perKill; index += 1) {
        buying.push(buy(`+234803${String(1_000_000 + round * perKill + index)}`));
      }
      await pause(random() * 150);
      await killAndReplace(round % workers.length);
    }
    const ids = await Promise.all(buying);
    expect(new Set(ids).size).toBe(kills * perKill);
    const open = sql`SELECT id FROM airtime_purchase WHERE state NOT IN ('success', 'failed') LIMIT 1`;
    await until('no purchase is open', async () => (await database.query(open)).length === 0);

    const toppedUp = await database.query<{ reference: string }>(sql`SELECT reference FROM simulated_top_up`);
    const ended = await database.query<{ id: string; state: string; code: string | null }>(
      sql`SELECT id, state, error_code AS code FROM airtime_purchase`,
    );
    const successes = ended.filter(({ state }) => state === 'success').map(({ id }) => id);
    expect(ended).toHaveLength(kills * perKill);
    // Each was topped up at most once, and succeeded exactly if it was.
    expect(toppedUp.map(({ reference }) => reference).sort()).toEqual(successes.sort());
    const failures = ended.filter(({ state }) => state === 'failed');
    expect(new Set(failures.map(({ code }) => code))).toEqual(
      new Set(failures.length > 0 ? ['never_arrived'] : []),
    );
    expect(await balancesOf(database, organisationId)).toEqual({
      available: start - BigInt(successes.length) * kobo,
      reserved: 0n,
    });
    expect(await checkLedger(database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }, 500_000);
}

describe('the airtime worker on Postgres, killed again and again', () => {
  survivesItsWorkers(() => undefined);
});

describeWithRedis('the airtime worker on Redis, killed again and again', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survivesItsWorkers(() => redis.url);
});
