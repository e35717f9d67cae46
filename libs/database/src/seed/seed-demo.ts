import { keyScopes } from '@gangan/protocol';
import { openPool } from '../pool.js';
import { sql } from '../sql/statement.js';
import { inTransaction, type Statements } from '../sql/statements.js';
import { insertKey } from '../tenants/api-keys.js';
import { insertAccount } from '../tenants/create-account.js';
import { createOrganisation } from '../tenants/create-organisation.js';
import { describeKey } from '../tenants/secrets.js';
import { demo } from './demo.js';

/** The demo organisation, with a key that everybody knows: never for production. What is already there stays as it is. */
export async function seedDemo(url: string): Promise<{ apiKey: string }> {
  const pool = openPool({ url, poolSize: 1, name: 'gangan seed' });
  pool.on('error', () => undefined);
  try {
    await inTransaction(pool, async (transaction) => {
      await seedOrganisation(transaction);
      await seedBalance(transaction);
      await seedRegistry(transaction);
    });
  } finally {
    await pool.end();
  }
  return { apiKey: demo.apiKey };
}

async function seedOrganisation(transaction: Statements): Promise<void> {
  await insertAccount(transaction, { id: demo.accountId, name: 'Demo' });
  await createOrganisation(transaction, { ...demo, id: demo.organisationId, mode: 'test' });
  const key = { id: demo.apiKeyId, ...describeKey(demo.apiKey) };
  await insertKey(transaction, key, {
    organisationId: demo.organisationId,
    name: 'Demo',
    scopes: keyScopes,
  });
  await transaction.execute(sql`
    INSERT INTO template (id, organisation_id, name, channel, body, variables)
    VALUES (${demo.templateId}, ${demo.organisationId}, 'Welcome', 'sms', 'Hello {{name}}, welcome to Gangan.',
      '{name}') ON CONFLICT DO NOTHING`);
}

/** Play money comes in like any other: as a transaction from funding to wallet, once per payment. */
async function seedBalance(transaction: Statements): Promise<void> {
  await transaction.execute(sql`
    WITH top_up AS (
      INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note, created_at)
      SELECT id, ${demo.organisationId}, 'top_up', ${demo.paymentId}, 'Play money', uuid_extract_timestamp(id)
      FROM (SELECT uuidv7() AS id) fresh
      ON CONFLICT DO NOTHING RETURNING id
    ), wallet AS (
      UPDATE ledger_account SET balance = balance + ${demo.balance} FROM top_up
      WHERE organisation_id = ${demo.organisationId} AND kind = 'wallet'
      RETURNING ledger_account.id, ledger_account.balance
    )
    INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
    SELECT top_up.id, wallet.id, ${demo.balance}::bigint, wallet.balance FROM top_up, wallet
    UNION ALL
    SELECT top_up.id, funding.id, -${demo.balance}::bigint, NULL FROM top_up, ledger_account funding
    WHERE funding.organisation_id = ${demo.organisationId} AND funding.kind = 'funding'`);
}

async function seedRegistry(transaction: Statements): Promise<void> {
  await transaction.execute(sql`
    INSERT INTO registry_import (id, registry, mode, state, source, lines, ended_at)
    VALUES (${demo.portedImportId}, 'ported', 'merge', 'active', 'demo', ${demo.ported.length}, now()),
           (${demo.dndImportId}, 'dnd', 'merge', 'active', 'demo', ${demo.dnd.length}, now())
    ON CONFLICT DO NOTHING`);
  await transaction.execute(sql`
    INSERT INTO ported_number (phone, operator, import_id)
    SELECT phone, operator, ${demo.portedImportId}
    FROM unnest(${demo.ported.map((row) => row.phone)}::text[], ${demo.ported.map((row) => row.operator)}::text[])
      AS given (phone, operator) ON CONFLICT DO NOTHING`);
  await transaction.execute(sql`
    INSERT INTO dnd_number (phone, import_id)
    SELECT phone, ${demo.dndImportId} FROM unnest(${[...demo.dnd]}::text[]) AS given (phone) ON CONFLICT DO NOTHING`);
}
