import { sql } from '@gangan/database';
import type { Ledger } from './move.js';
import { withCare } from './with-care.js';

/**
 * Holds the wallets of these organisations until the transaction ends. For a decision that depends on other rows than
 * the wallet (is there a twin of this purchase?): lock, then look, because a statement does not see what was committed
 * while it waited. Must be the first thing in its transaction that touches money.
 *
 * What it settles (see `withCare`) holds for all that follows in the transaction: no lock is waited for longer than
 * 200 ms, and nothing is read by a full scan where an index will do, even where that is dearer. What reads much belongs
 * in another transaction.
 */
export async function lockWallets(ledger: Ledger, organisationIds: readonly string[]): Promise<void> {
  await ledger.query(sql`
    SELECT id FROM ledger_account
    WHERE organisation_id = ANY (${organisationIds}::uuid[]) AND balance IS NOT NULL
      AND ${withCare}
    ORDER BY id FOR UPDATE`);
}
