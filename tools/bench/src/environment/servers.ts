import type { QueueConnection } from '@gangan/queue';
import {
  type BrokerKind,
  startPostgres,
  startRedis,
  type TestPostgres,
  type TestRedis,
} from '@gangan/testing';

/** As durable as in production, unlike a test server. */
const durable = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };

/** Postgres, and Redis if a queue uses it. */
export class Servers {
  private constructor(
    private readonly postgres: TestPostgres,
    private readonly redis: TestRedis | undefined,
  ) {}

  static async start(brokers: readonly BrokerKind[]): Promise<Servers> {
    const postgres = await startPostgres(durable);
    const redis = brokers.includes('redis')
      ? await startRedis({ appendOnly: true, settings: { 'maxmemory-policy': 'noeviction' } })
      : undefined;
    return new Servers(postgres, redis);
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  get redisUrl(): string | undefined {
    return this.redis?.url;
  }

  queueOn(broker: BrokerKind, poolSize: number): QueueConnection {
    return broker === 'redis' && this.redis
      ? { kind: 'redis', url: this.redis.url }
      : { kind: 'postgres', url: this.postgres.url, poolSize };
  }

  async stop(): Promise<void> {
    await Promise.all([this.postgres.stop(), this.redis?.stop()]);
  }
}
