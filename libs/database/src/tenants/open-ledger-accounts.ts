import { newId } from '@gangan/protocol';
import { command, sql } from '../sql/statement.js';
import type { SqlRunner } from '../sql/statements.js';

const stored = ['wallet', 'reserved'];
const summed = ['revenue', 'loss', 'funding'];

const insertAccounts = command(
  (organisationId: string, kinds: readonly string[]) => sql`
    INSERT INTO ledger_account (id, organisation_id, kind, balance)
    SELECT id, ${organisationId}, kind::ledger_account_kind, CASE WHEN kind = ANY(${stored}) THEN 0 END
    FROM unnest(${kinds.map(() => newId())}::uuid[], ${kinds}::text[]) AS fresh (id, kind)
    ON CONFLICT DO NOTHING`,
);

/** Opens the accounts between which an organisation's money moves; opening them again changes nothing. */
export async function openLedgerAccounts(transaction: SqlRunner, organisationId: string): Promise<void> {
  await transaction.run(insertAccounts, organisationId, [...stored, ...summed]);
}
