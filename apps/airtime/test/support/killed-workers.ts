import { setTimeout as pause } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { buyAirtime } from '@gangan/contracts';
import { Database, migrate, type OrganisationMode, sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { migrateQueue, newQueueKey, type QueueConnection, Queues } from '@gangan/queue';
import { newSealingKey } from '@gangan/sealing';
import {
  anOrganisation,
  createTestDatabase,
  repetitions,
  seededRandom,
  until,
  WorkerProcess,
} from '@gangan/testing';
import { expect } from '@jest/globals';
import { firstValueFrom } from 'rxjs';

const kills = repetitions(2, 8);
const perKill = 50;
const start = 100_000_000n;
/** Of every purchase. */
export const priceKobo = 10_000n;
const airtime = { amount: 100 };
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface EndedPurchase {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly reference: string | null;
  readonly isBundle: boolean;
}

type Price = { readonly amount: number } | { readonly product_id: string };

interface Options {
  readonly mode: OrganisationMode;
  /** The queues are in Postgres if it is absent. */
  readonly redisUrl?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs before the workers start. */
  readonly prepare?: (database: Database, dataKey: string) => Promise<void>;
}

/** Two airtime workers that are killed while an organisation buys, and replaced. */
export class KilledWorkers {
  private constructor(
    readonly database: Database,
    private readonly queues: Queues,
    private readonly organisationId: string,
    private readonly startWorker: () => WorkerProcess,
    private readonly workers: WorkerProcess[],
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async start({ mode, redisUrl, environment = {}, prepare }: Options): Promise<KilledWorkers> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    const { id } = await anOrganisation(database, { mode, balanceKobo: start });
    const [key, dataKey] = [newQueueKey(), newSealingKey()];
    await prepare?.(database, dataKey);
    const connection: QueueConnection =
      redisUrl === undefined
        ? { kind: 'postgres', url: postgres.url, poolSize: 4 }
        : { kind: 'redis', url: redisUrl };
    const queues = await Queues.open({ connection, keys: [key] }, 'producer', quiet);
    const startWorker = (): WorkerProcess =>
      new WorkerProcess('airtime', {
        DATABASE_URL: postgres.url,
        QUEUE_KEY: key,
        DATA_KEY: dataKey,
        ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
        ...environment,
      });
    const workers = [startWorker(), startWorker()];
    for (const worker of workers) await worker.untilReady();
    return new KilledWorkers(database, queues, id, startWorker, workers, () => postgres.drop());
  }

  /**
   * Buys for different numbers, and kills a worker again and again. Returns the ids of the purchases.
   * @param bundle the product of every third purchase
   */
  async buyAndKill(seed: string, maxPauseMs: number, bundle?: string): Promise<readonly string[]> {
    const random = seededRandom(seed);
    const buying: Promise<string>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < perKill; index += 1)
        buying.push(
          this.buy(
            `+234803${String(1_000_000 + round * perKill + index)}`,
            bundle !== undefined && index % 3 === 0 ? { product_id: bundle } : airtime,
          ),
        );
      await pause(random() * maxPauseMs);
      const killed = round % this.workers.length;
      await this.workers[killed]?.untilReady();
      await this.workers[killed]?.kill();
      this.workers[killed] = this.startWorker();
    }
    const ids = await Promise.all(buying);
    expect(new Set(ids).size).toBe(kills * perKill);
    return ids;
  }

  /** Waits until all purchases have ended, and checks the money. */
  async ended(beforeEachLook: () => Promise<unknown> = () => Promise.resolve()): Promise<EndedPurchase[]> {
    const open = sql`SELECT id FROM airtime_purchase WHERE state NOT IN ('success', 'failed') LIMIT 1`;
    await until('no purchase is open', async () => {
      await beforeEachLook();
      return (await this.database.query(open)).length === 0;
    });
    const ended = await this.database.query<EndedPurchase>(sql`
      SELECT id, state, error_code AS code, request_reference AS reference, product_id IS NOT NULL AS "isBundle"
      FROM airtime_purchase`);
    expect(ended).toHaveLength(kills * perKill);
    const successes = ended.filter(({ state }) => state === 'success');
    expect(await balancesOf(this.database, this.organisationId)).toEqual({
      available: start - BigInt(successes.length) * priceKobo,
      reserved: 0n,
    });
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
    return ended;
  }

  async stop(): Promise<void> {
    for (const worker of this.workers) await worker.kill();
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await this.dropDatabase();
  }

  /** A caller that sends the same request again until it gets a response. */
  private async buy(recipient: string, price: Price): Promise<string> {
    const context = newContext({ organisationId: this.organisationId });
    for (;;) {
      try {
        const request = { network: 'MTN', recipient, ...price } as const;
        return (await firstValueFrom(this.queues.client.send(buyAirtime, request, context))).id;
      } catch (error) {
        if ((error as { status?: number }).status !== 503) throw error;
        await pause(200);
      }
    }
  }
}
