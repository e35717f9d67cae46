import { runMigrations } from 'bullmq';
import { withPostgresOptions } from '@gangan/protocol';
import pg from 'pg';
import { endClient, endsInTime } from './end-client.js';
import { createSequenceFunction } from './job-sequences.js';
import { createBucketTable } from './postgres-bucket-store.js';
import { refusalOf } from './unreachable.js';

/** BullMQ accepts no other schema with a pool that it did not create. */
const queueSchema = 'bullmq';

/**
 * The queue tables carry jobs in transit. What has to survive a crash is a committed row of a domain, and sweepers find such
 * rows again. So commits of the queue need not wait for the disk.
 */
const sessionSettings = { search_path: queueSchema, synchronous_commit: 'off', statement_timeout: '10000' };

/** The connection settings of the queues. */
export function queueClientConfig(url: string): pg.ClientConfig {
  return {
    ...withPostgresOptions(url, sessionSettings),
    application_name: 'gangan-queue',
    connectionTimeoutMillis: 3_000,
    // A listener never writes: without keep-alive it would not notice that the server is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 15_000,
  };
}

type Connected = Parameters<pg.Pool['connect']>[0];

/** A pool that can be closed although a connection is not returned: a BullMQ worker that is closed while it starts keeps one. */
export class QueuePool extends pg.Pool {
  private readonly inUse = new Set<pg.PoolClient>();

  /** @param report called with the reason when no connection can be had */
  constructor(
    url: string,
    poolSize: number,
    readonly report: (error: unknown) => void,
  ) {
    super({ ...queueClientConfig(url), max: poolSize, idleTimeoutMillis: 30_000 });
    // Every lane adds an error listener; that is not a leak.
    this.setMaxListeners(0);
    // A connection that breaks between two statements of its user would end the process. The next statement fails anyway.
    this.on('connect', (client) => client.on('error', () => undefined));
    this.on('acquire', (client) => this.inUse.add(client));
    this.on('release', (_, client) => this.inUse.delete(client));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback)
      return super.connect().catch(async (error: unknown) => {
        throw await refusalOf(error, this);
      });
    super.connect((error, client, release) => {
      if (!error) callback(undefined, client, release);
      else
        void refusalOf(error, this).then((refusal) => {
          callback(refusal, undefined, release);
        });
    });
    return undefined;
  }

  get closing(): boolean {
    return this.ending;
  }

  async close(): Promise<void> {
    await endsInTime(this.end());
    this.on('acquire', (client) => void endClient(client));
    await Promise.all([...this.inUse].map(endClient));
  }
}

/** Creates or updates BullMQ's tables and the table of the rate limits. Several processes may call it at once. */
export async function migrateQueue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await runMigrations(client, queueSchema);
    await createBucketTable(client, queueSchema);
    await createSequenceFunction(client, queueSchema);
  } finally {
    await client.end();
  }
}
