import { startPostgres, type TestPostgres, TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

describe('a system with the given Postgres, which also holds its queues', () => {
  let postgres: TestPostgres;
  let system: TestSystem;
  beforeAll(async () => {
    postgres = await startPostgres({ max_connections: '80' });
    system = await TestSystem.open({ DATABASE_URL: postgres.url });
    await system.start();
  });
  afterAll(async () => {
    await system.close();
    await postgres.stop();
  });

  it('starts no Postgres, divides the connections, and does not know the demo key', async () => {
    expect(system.output).not.toContain('Starting Postgres');
    expect(system.output).not.toContain('Demo key');
    const request = { path: '/lookup/phone?phone=08031234567', key: 'sk_test_demo' };
    expect(await system.request(request)).toMatchObject({ status: 401 });
  });
});
