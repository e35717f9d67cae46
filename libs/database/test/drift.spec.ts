import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, schemaDrift } from '../src/index.js';

describe('schema and migrations', () => {
  let postgres: TestDatabase;

  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
  });
  afterAll(() => postgres.drop());

  it('agree (else: pnpm db:diff <name>)', async () => {
    expect(await schemaDrift(postgres.url)).toBe('');
  });

  it.each([
    ['ALTER TABLE message DROP COLUMN encoding', 'ADD COLUMN     "encoding"'],
    ['ALTER TABLE otp ALTER COLUMN attempts DROP DEFAULT', '"attempts" SET DEFAULT 0'],
    ['DROP INDEX message_organisation_id_id_idx', 'CREATE INDEX "message_organisation_id_id_idx"'],
    [
      'ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_account_id_fkey',
      'ADD CONSTRAINT "ledger_entry_account_id_fkey"',
    ],
  ])('differ after: %s', async (change, difference) => {
    const changed = await createTestDatabase(migrate);
    const client = new pg.Client({ connectionString: changed.url });
    await client.connect();
    await client.query(change);
    await client.end();
    expect(await schemaDrift(changed.url)).toContain(difference);
    await changed.drop();
  });
});
