import { setTimeout as pause } from 'node:timers/promises';
import { contractsOf, lookupPhone } from '@gangan/contracts';
import { DatabaseModule, migrate } from '@gangan/database';
import { ErrorPassthroughFilter, migrateQueue, newQueueKey, Queues } from '@gangan/queue';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { firstValueFrom } from 'rxjs';
import { LookupModule } from '../src/lookup.module.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Requests are refused until answers can reach the one who asks. */
async function listening(queues: Queues): Promise<void> {
  while (
    !(await queues.ping().then(
      () => true,
      () => false,
    ))
  )
    await pause(10);
}

describe('the lookup worker', () => {
  let postgres: TestPostgres;
  let worker: INestMicroservice;
  const opened: Queues[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
    await migrate(postgres.url);
    await migrateQueue(postgres.url);
    const keys = [newQueueKey()];
    const connection = { kind: 'postgres', url: postgres.url, poolSize: 3 } as const;
    const asking = await Queues.open({ connection, keys }, 'producer', quiet);
    const serving = await Queues.open({ connection, keys }, 'worker', quiet);
    opened.push(asking, serving);
    await listening(asking);
    serving.server.requireHandlers(contractsOf('lookup'));

    @Module({ imports: [DatabaseModule.forRoot({ url: postgres.url, poolSize: 2 }), LookupModule] })
    class TestModule {}

    worker = await NestFactory.createMicroservice(TestModule, { strategy: serving.server, logger: false });
    worker.useGlobalFilters(new ErrorPassthroughFilter());
    await worker.listen();
  }, 60_000);
  afterAll(async () => {
    await worker.close();
    for (const queues of opened) {
      await queues.client.close();
      await queues.close();
    }
    await postgres.stop();
  });

  const ask = (phone: string) => {
    const [queues] = opened;
    if (!queues) throw new Error('not open');
    return firstValueFrom(queues.client.send(lookupPhone, { phone }));
  };

  it('answers through the queue, many at once, each with its own number', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => `0803${String(1_000_000 + index)}`);
    const answers = await Promise.all(numbers.map(ask));
    expect(answers).toEqual(
      numbers.map((number) => ({
        msisdn: `234${number.slice(1)}`,
        operator: 'MTN',
        country: 'NG',
        ported: false,
        dnd: false,
      })),
    );
  });

  it('refuses one bad number and answers its neighbours', async () => {
    const [good, bad] = await Promise.allSettled([ask('08031234567'), ask('112')]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { operator: 'MTN' } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { status: 400, fields: [{ type: 'phone' }] } });
  });
});
