import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  contractsServedBy,
  createLookupBatch,
  findLookupBatch,
  lookupPhone,
  lookupPhoneLive,
  type LookupReply,
  readLookupBatchPart,
} from '@gangan/contracts';
import { Database, DatabaseModule } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newContext } from '@gangan/protocol';
import {
  ErrorPassthroughFilter,
  migrateQueue,
  MasterKeys,
  newQueueKey,
  QueueClient,
  type QueueConnection,
  Queues,
} from '@gangan/queue';
import { deriveDataKeys, NamedKeys } from '@gangan/sealing';
import { AppLogger, PeriodicTasksModule, Registry } from '@gangan/runtime';
import {
  anOrganisation,
  describeAgainWithRedis,
  createTestDatabase,
  isFullSuite,
  startRedis,
  type TestDatabase,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Global, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { firstValueFrom } from 'rxjs';
import { LookupConfig } from '../src/lookup.config.js';
import { LookupModule } from '../src/lookup.module.js';
import { FakeProvider, secret } from './support/fake-provider.js';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
};

/** Requests are rejected until replies can reach the client. */
async function listening(queues: Queues): Promise<void> {
  await until('replies can reach the client', () =>
    queues.ping().then(
      () => true,
      () => false,
    ),
  );
}

interface Broker {
  readonly connection: QueueConnection;
  stop(): Promise<void>;
}

type StartBroker = (postgres: TestDatabase) => Promise<Broker>;

/** Two complete workers and a client. */
class TestWorkers {
  private readonly opened: Queues[] = [];
  private readonly workers: INestMicroservice[] = [];

  private constructor(
    private readonly postgres: TestDatabase,
    private readonly broker: Broker,
    private readonly folder: string,
    readonly provider: FakeProvider,
    private readonly organisations: Readonly<Record<'live' | 'test', string>>,
  ) {}

  static async open(startBroker: StartBroker): Promise<TestWorkers> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const database = new Database({ url: postgres.url, poolSize: 1 });
    const live = await anOrganisation(database, { mode: 'live' });
    const test = await anOrganisation(database);
    await database.close();
    const system = new TestWorkers(
      postgres,
      await startBroker(postgres),
      await mkdtemp(join(tmpdir(), 'gangan-lookup-')),
      await FakeProvider.open(),
      { live: live.id, test: test.id },
    );
    const keys = new MasterKeys([newQueueKey()]);
    const settings = { connection: system.broker.connection, app: 'gateway', keys };
    const client = await Queues.open(settings, 'producer', quiet);
    system.opened.push(client);
    await listening(client);
    for (let n = 0; n < 2; n += 1) await system.startWorker(settings);
    return system;
  }

  private async startWorker(settings: Parameters<typeof Queues.open>[0]): Promise<void> {
    const serving = await Queues.open(
      { ...settings, app: 'lookup', tuning: { singleConcurrency: 64 } },
      'worker',
      quiet,
    );
    this.opened.push(serving);
    serving.server.requireHandlers(contractsServedBy('lookup'));
    const config = new LookupConfig({
      LOOKUP_PROVIDER_FILE: await this.provider.describeIn(join(this.folder, 'provider.json')),
      LOOKUP_PROVIDER_SECRET: secret,
      LOOKUP_PROVIDER_TIMEOUT_MS: 30_000,
      DATA_KEYS: NamedKeys.parse(deriveDataKeys([newQueueKey()], 'lookup')),
      LOOKUP_BATCHES_AT_A_TIME: 2,
      LOOKUP_BATCH_KEPT_FOR: '24h',
    });
    const platform = [
      { provide: LookupConfig, useValue: config },
      { provide: AppLogger, useValue: quiet },
      { provide: Registry, useValue: new Registry() },
      { provide: QueueClient, useValue: serving.client },
    ];

    @Global()
    @Module({ providers: platform, exports: platform })
    class PlatformModule {}

    const database = DatabaseModule.forRoot({ url: this.postgres.url, poolSize: 3 });

    @Module({ imports: [database, PlatformModule, PeriodicTasksModule, LookupModule] })
    class TestModule {}

    const worker = await NestFactory.createMicroservice(TestModule, {
      strategy: serving.server,
      logger: false,
    });
    worker.useGlobalFilters(new ErrorPassthroughFilter());
    await worker.listen();
    this.workers.push(worker);
  }

  /** Like the gateway. */
  async lookup(phone: string, mode: 'live' | 'test'): Promise<LookupReply> {
    const [queues] = this.opened;
    if (!queues) throw new Error('not open');
    const context = newContext({ organisationId: this.organisations[mode] });
    const known = await firstValueFrom(queues.client.send(lookupPhone, { phone }, context));
    return known.found ? known : firstValueFrom(queues.client.send(lookupPhoneLive, { phone }, context));
  }

  /** Runs a batch to its end. @returns its state, and the lines of its file without the header */
  async runBatch(phones: readonly string[]): Promise<{ state: string; lines: string[] }> {
    const [queues] = this.opened;
    if (!queues) throw new Error('not open');
    const { client } = queues;
    const context = newContext({ organisationId: this.organisations.test });
    const { id } = await firstValueFrom(
      client.send(createLookupBatch, { phones: phones.join(',') }, context),
    );
    const ended = await until('the batch ends', async () => {
      const batch = await firstValueFrom(client.send(findLookupBatch, { id }, context));
      return batch.ended_datetime !== undefined && batch;
    });
    let text = '';
    for (let number = 0, parts = 1; number < parts; number += 1) {
      const part = await firstValueFrom(client.send(readLookupBatchPart, { id, number }, context));
      text += part.text;
      ({ parts } = part);
    }
    expect(ended).toMatchObject({ numbers: phones.length, percent: 100, bytes: Buffer.byteLength(text) });
    return { state: ended.state, lines: text.trimEnd().split('\r\n').slice(1) };
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await worker.close();
    for (const queues of this.opened) {
      await queues.client.close();
      await queues.close();
    }
    await this.broker.stop();
    await this.provider.close();
    await this.postgres.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function describeWorkers(startBroker: StartBroker): void {
  let system: TestWorkers;
  beforeAll(async () => {
    system = await TestWorkers.open(startBroker);
  });
  afterAll(() => system.close());

  it('replies through the queue to many lookups at once', async () => {
    const numbers = Array.from(
      { length: isFullSuite ? 300 : 150 },
      (_, index) => `0803${String(1_000_000 + index)}`,
    );
    const answers = await Promise.all(numbers.map((number) => system.lookup(number, 'test')));
    expect(answers.map(({ found }) => found)).toEqual(
      numbers.map((number) => ({
        msisdn: `234${number.slice(1)}`,
        operator: 'MTN',
        country: 'NG',
        ported: false,
        dnd: false,
      })),
    );
  });

  it('rejects one bad number of a batch', async () => {
    const [good, bad] = await Promise.allSettled([
      system.lookup('08031234567', 'test'),
      system.lookup('112', 'test'),
    ]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { found: { operator: 'MTN' } } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { status: 400, fields: [{ type: 'phone' }] } });
  });

  it('looks up a batch of numbers and writes the results to a file', async () => {
    const phones = Array.from(
      { length: isFullSuite ? 1_000 : 600 },
      (_, index) => `0803${String(1_000_000 + index)}`,
    );
    const { state, lines } = await system.runBatch(phones);
    expect(state).toBe('done');
    expect(lines).toEqual(
      phones.map(
        (phone) =>
          `${phone},234${phone.slice(1)},MTN,NG,false,false,,,"operator=plan, country=plan, ported=registry, dnd=registry",`,
      ),
    );
  });

  it('calls the provider once for simultaneous lookups of one number', async () => {
    const count = isFullSuite ? 200 : 100;
    const answers = await Promise.all(
      Array.from({ length: count }, () => system.lookup('08031234567', 'live')),
    );
    expect(system.provider.requests).toHaveLength(1);
    expect(answers.filter(({ found }) => found?.operator === 'Glo' && found.ported)).toHaveLength(count);
  });
}

describe('the lookup worker, with its queue in Postgres', () => {
  describeWorkers(({ url }) =>
    Promise.resolve({
      connection: { kind: 'postgres', url, poolSize: 6 },
      stop: () => Promise.resolve(),
    }),
  );
});

describeAgainWithRedis('the lookup worker, with its queue in Redis', () => {
  describeWorkers(async () => {
    const redis = await startRedis();
    return { connection: { kind: 'redis', url: redis.url }, stop: () => redis.stop() };
  });
});
