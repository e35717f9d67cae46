import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, schemaDrift } from '../src/index.js';

/** A change of the database, and the statement of the migration that would undo it. */
const changes = {
  'ALTER TABLE message DROP COLUMN encoding': 'ADD COLUMN     "encoding"',
  'ALTER TABLE otp ALTER COLUMN attempts DROP DEFAULT': '"attempts" SET DEFAULT 0',
  'DROP INDEX message_organisation_id_id_idx': 'CREATE INDEX "message_organisation_id_id_idx"',
  'ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_organisation_id_fkey':
    'ADD CONSTRAINT "ledger_account_organisation_id_fkey"',
};

describe('schema and migrations', () => {
  let postgres: TestDatabase;

  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
  });
  afterAll(() => postgres.drop());

  it('agree (else: pnpm db:diff <name>)', async () => {
    expect(await schemaDrift(postgres.url)).toBe('');
  });

  it('differ after a change of a column, a default, an index or a foreign key', async () => {
    const changed = await createTestDatabase(migrate);
    await runSql(changed.url, Object.keys(changes).join('; '));
    const drift = await schemaDrift(changed.url);
    for (const difference of Object.values(changes)) expect(drift).toContain(difference);
    await changed.drop();
  });
});
