import { setTimeout as pause } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { allContracts, buyAirtime } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newContext } from '@gangan/protocol';
import {
  deriveQueueKeys,
  MasterKeys,
  migrateQueue,
  newQueueKey,
  type QueueConnection,
  Queues,
} from '@gangan/queue';
import { deriveDataKeys, masterSealer, newSealingKey } from '@gangan/sealing';
import {
  anOrganisation,
  createTestDatabase,
  type FakeAirtime,
  repetitions,
  seededRandom,
  until,
  WorkerProcess,
} from '@gangan/testing';
import { expect } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { addProvider, addRoute } from './add-provider.js';
import { vtpassSecrets } from './open-adapters.js';

const kills = repetitions(2, 8);
/** Of each organisation. */
const perKill = 50;
const start = 100_000_000n;
/** Of every purchase. */
const priceKobo = 10_000n;
const airtime = { amount: 100 };
const random = seededRandom('airtime kill test');
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A caller retries sooner than the gateway, so that a killed worker costs little time. */
const impatient = { ...buyAirtime, deadlineMs: 3_000 };

/** The outcome of a submission is known after the sum of its start, its timeout and the first query time: 2.5 s. */
const environment = { AIRTIME_PROVIDER_TIMEOUT_MS: '1000', AIRTIME_ASK_AFTER: '500ms,1s,2s' };
const submissionMs = 2_500;

export interface EndedPurchase {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly reference: string | null;
  readonly isBundle: boolean;
}

type Price = { readonly amount: number } | { readonly product_id: string };

/** Two airtime workers that are killed and replaced, while one organisation buys from the simulator and one from VTpass. */
export class KilledWorkers {
  private constructor(
    readonly database: Database,
    private readonly queues: Queues,
    readonly organisations: { readonly simulator: string; readonly vtpass: string },
    private readonly startWorker: () => WorkerProcess,
    private readonly workers: WorkerProcess[],
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** @param redisUrl the queues are in Postgres if it is absent */
  static async start(vtpass: FakeAirtime, redisUrl: string | undefined): Promise<KilledWorkers> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    const organisations = {
      simulator: (await anOrganisation(database, { mode: 'test', balanceKobo: start })).id,
      vtpass: (await anOrganisation(database, { mode: 'live', balanceKobo: start })).id,
    };
    const [key, dataKey] = [newQueueKey(), newSealingKey()];
    const provider = await addProvider(database, masterSealer([dataKey]), {
      name: 'vtpass',
      kind: 'vtpass',
      secrets: vtpassSecrets,
      // The fake never charges its account, so that its credit says nothing.
      settings: { url: vtpass.url, allowPrivate: true },
    });
    await addRoute(database, [provider]);
    const connection: QueueConnection =
      redisUrl === undefined
        ? { kind: 'postgres', url: postgres.url, poolSize: 4 }
        : { kind: 'redis', url: redisUrl };
    const queues = await Queues.open(
      { connection, app: 'gateway', keys: new MasterKeys([key]) },
      'producer',
      quiet,
    );
    const startWorker = (): WorkerProcess =>
      new WorkerProcess('airtime', {
        DATABASE_URL: postgres.url,
        QUEUE_KEYS: deriveQueueKeys([key], 'airtime', allContracts),
        DATA_KEYS: deriveDataKeys([dataKey], 'airtime'),
        ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
        ...environment,
      });
    const workers = [startWorker(), startWorker()];
    for (const worker of workers) await worker.untilReady();
    return new KilledWorkers(database, queues, organisations, startWorker, workers, () => postgres.drop());
  }

  /** Buys for different numbers, kills a worker again and again, and waits until all purchases have ended. */
  async buyAndKill(): Promise<void> {
    const { simulator, vtpass } = this.organisations;
    const bundle = await until('the products are read', async () => {
      const where = { provider: 'vtpass', network: 'MTN', priceKobo };
      return (await this.database.airtimeProduct.findFirst({ where }))?.id;
    });
    const buying: Promise<string>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < perKill; index += 1) {
        const recipient = `+234803${String(1_000_000 + round * perKill + index)}`;
        buying.push(this.buy(simulator, recipient, airtime));
        buying.push(this.buy(vtpass, recipient, index % 3 === 0 ? { product_id: bundle } : airtime));
      }
      await pause(random() * 300);
      const killed = round % this.workers.length;
      await this.workers[killed]?.untilReady();
      await this.workers[killed]?.kill();
      this.workers[killed] = this.startWorker();
    }
    const ids = await Promise.all(buying);
    expect(new Set(ids).size).toBe(2 * kills * perKill);
    // VTpass is asked for three minutes about a payment that it never received. Rows that a worker has locked come later.
    const age = sql`
      UPDATE airtime_purchase SET submitted_at = created_at - interval '3 minutes' WHERE id IN (
        SELECT id FROM airtime_purchase
        WHERE state = 'sent' AND submitted_at BETWEEN created_at AND now() - ${submissionMs}::float8 * interval '1 ms'
        FOR UPDATE SKIP LOCKED)`;
    const open = sql`SELECT id FROM airtime_purchase WHERE state NOT IN ('success', 'failed') LIMIT 1`;
    await until('no purchase is open', async () => {
      await this.database.execute(age);
      return (await this.database.query(open)).length === 0;
    });
  }

  ended(organisationId: string): Promise<EndedPurchase[]> {
    return this.database.query<EndedPurchase>(sql`
      SELECT id, state, error_code AS code, request_reference AS reference, product_id IS NOT NULL AS "isBundle"
      FROM airtime_purchase WHERE organisation_id = ${organisationId}`);
  }

  /** Every purchase was charged or refunded. */
  async expectSoundBalances(): Promise<void> {
    for (const organisationId of Object.values(this.organisations)) {
      const ended = await this.ended(organisationId);
      expect(ended).toHaveLength(kills * perKill);
      const successes = ended.filter(({ state }) => state === 'success');
      expect(await balancesOf(this.database, organisationId)).toEqual({
        available: start - BigInt(successes.length) * priceKobo,
        reserved: 0n,
      });
    }
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  async stop(): Promise<void> {
    for (const worker of this.workers) await worker.kill();
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await this.dropDatabase();
  }

  /** A caller that sends the same request again until it gets a response. */
  private async buy(organisationId: string, recipient: string, price: Price): Promise<string> {
    const context = newContext({ organisationId });
    for (;;) {
      try {
        const request = { network: 'MTN', recipient, ...price } as const;
        return (await firstValueFrom(this.queues.client.send(impatient, request, context))).id;
      } catch (error) {
        if ((error as { status?: number }).status !== 503) throw error;
        await pause(200);
      }
    }
  }
}
