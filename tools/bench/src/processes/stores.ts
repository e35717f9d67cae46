import { migrateQueue } from '@gangan/queue';
import {
  redisAvailable,
  startPostgres,
  startRedis,
  type TestPostgres,
  type TestRedis,
} from '@gangan/testing';
import pg from 'pg';
import { createTables } from '../charge/tables.js';
import type { BrokerKind } from '../ways/way.js';

/** As careful with its data as in production: a test server is not. */
const careful = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };

/** The servers of one run of the bench, and the bench's own look into the tables. */
export class Stores {
  private constructor(
    private readonly postgres: TestPostgres,
    private readonly redis: TestRedis | undefined,
    readonly auditor: pg.Client,
  ) {}

  static async start(brokers: readonly BrokerKind[]): Promise<Stores> {
    const postgres = await startPostgres(careful);
    const redis =
      brokers.includes('redis') && redisAvailable
        ? await startRedis({ appendOnly: true, settings: { 'maxmemory-policy': 'noeviction' } })
        : undefined;
    const auditor = new pg.Client({ connectionString: postgres.url });
    await auditor.connect();
    await createTables(auditor);
    await migrateQueue(postgres.url);
    return new Stores(postgres, redis, auditor);
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  get redisUrl(): string | undefined {
    return this.redis?.url;
  }

  async stop(): Promise<void> {
    await this.auditor.end().catch(() => undefined);
    await Promise.all([this.postgres.stop(), this.redis?.stop()]);
  }
}
