import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findEmbeddedPostgres } from '@gangan/embedded-postgres';
import { describeWithRedis, startRedis, type TestRedis, World } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findText } from './canary/find-text.js';
import { secondOrganisation } from './tenants/second-organisation.js';

const digits = (): string => String(randomInt(1e9)).padStart(9, '0');

/** What nobody may find later: secrets and contents that were sent to the system. */
const canaries = {
  wrongKey: `sk_test_canary${digits()}`,
  /** Nowhere a part of a time or an id: it starts with what no recent time holds. */
  number: `7${digits()}`,
  content: `canary content ${digits()}`,
};

function keepsSecrets(open: () => Promise<{ world: World; folders: () => string[] }>): void {
  let world: World;
  let folders: () => string[];
  let key: string;
  beforeAll(async () => {
    ({ world, folders } = await open());
    await world.start();
    key = await secondOrganisation((await findEmbeddedPostgres(join(world.folder, 'postgres'))) ?? '');
  }, 120_000);
  afterAll(() => world.close(), 60_000);

  const { wrongKey, number, content } = canaries;
  const phone = `+234${number}`;
  const find = async (): Promise<string[]> => {
    const texts = [key, wrongKey, number, content];
    return (await Promise.all(folders().map((folder) => findText(folder, texts)))).flat();
  };

  it('looks where it means to: what is there is found', async () => {
    const file = join(world.folder, 'planted');
    await writeFile(file, `x${content}x`);
    expect(await find()).toEqual([`${content} in ${file}`]);
    await writeFile(file, '');
  });

  it('shows nothing of a request that waits for its worker', async () => {
    const worker = world.apps()['lookup'] ?? 0;
    process.kill(worker, 'SIGSTOP');
    try {
      const answers = Promise.all(
        Array.from({ length: 20 }, () =>
          world.ask({ path: '/lookup/phone', body: { phone, note: content }, key }),
        ),
      );
      await pause(1_000);
      expect(await find()).toEqual([]);
      process.kill(worker, 'SIGCONT');
      for (const { status } of await answers) expect(status).toBe(200);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
  }, 60_000);

  it('repeats nothing in an error, and writes nothing of it down', async () => {
    const answers = await Promise.all([
      world.ask({ path: `/lookup/phone?phone=${encodeURIComponent(phone)}`, key: wrongKey }),
      world.ask({ path: '/lookup/phone', key: `Bearer ${key}`, body: { phone } }),
      world.ask({ path: '/lookup/phone', key, body: { phone: `${number}${content}` } }),
      world.ask({ path: '/lookup/phone', key, body: { phone: [number, content] } }),
      world.ask({
        path: `/lookup/phone?phone=${number}&note=${encodeURIComponent(content)}`,
        key,
        body: { phone },
      }),
      world.ask({ path: '/lookup/phone', method: 'POST', key, body: { phone, content } }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      for (const text of [key, wrongKey, number, content]) expect(JSON.stringify(body)).not.toContain(text);
    }
    expect(world.output).not.toContain(key);
    await world.stop();
    expect(await find()).toEqual([]);
  }, 60_000);
}

describe('secrets, with the queues in Postgres', () => {
  keepsSecrets(async () => {
    const world = await World.open();
    return { world, folders: () => [world.folder] };
  });
});

describeWithRedis('secrets, with the queues in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true, settings: { appendfsync: 'always' } });
  });
  afterAll(() => redis.stop());
  keepsSecrets(async () => {
    const world = await World.open({ REDIS_URL: redis.url });
    return { world, folders: () => [world.folder, redis.folder] };
  });
});
