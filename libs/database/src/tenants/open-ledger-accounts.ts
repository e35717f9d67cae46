import { newId } from '@gangan/protocol';
import { sql, type Statements } from '../statements.js';

const stored = ['wallet', 'reserved'];
const summed = ['revenue', 'loss', 'funding'];

/** The accounts between which an organisation's money moves; opening them again changes nothing. */
export async function openLedgerAccounts(transaction: Statements, organisationId: string): Promise<void> {
  const kinds = [...stored, ...summed];
  await transaction.execute(sql`
    INSERT INTO ledger_account (id, organisation_id, kind, balance)
    SELECT id, ${organisationId}, kind::ledger_account_kind, CASE WHEN kind = ANY(${stored}) THEN 0 END
    FROM unnest(${kinds.map(() => newId())}::uuid[], ${kinds}::text[]) AS fresh (id, kind)
    ON CONFLICT DO NOTHING`);
}
