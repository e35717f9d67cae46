import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { anOrganisation, aWaitingCallback, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findSlowCallbacks } from '../src/reconcile/unfinished.js';

describe('slow callbacks', () => {
  let server: TestDatabase;
  let database: Database;
  let organisationId: string;

  beforeAll(async () => {
    server = await createTestDatabase(migrate);
    database = new Database({ url: server.url, poolSize: 1, allowScans: true });
    ({ id: organisationId } = await anOrganisation(database));
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  it.each([
    ['are those that have failed twice and wait', 2, 60, 1],
    ['do not include one whose first attempt failed', 1, 60, 0],
    ['do not include one that was never attempted', 0, 60, 0],
    ['do not include one that is due soon', 2, 5, 0],
  ])('%s', async (_, attempt, seconds, count) => {
    await database.execute(sql`DELETE FROM callback`);
    await aWaitingCallback(database, organisationId);
    await database.execute(sql`
      UPDATE callback SET attempt = ${attempt}::int, next_attempt_at = now() + ${seconds}::float8 * interval '1 second'`);
    expect(await findSlowCallbacks(database)).toHaveLength(count);
  });
});
