import { sql } from '@gangan/database';
import type { Ledger } from '../ledger/move.js';

/** What an organisation can spend, and what is set aside for purchases under way; in kobo. */
export interface Balances {
  readonly available: bigint;
  readonly reserved: bigint;
}

export async function balancesOf(ledger: Ledger, organisationId: string): Promise<Balances> {
  const rows = await ledger.query<{ kind: string; balance: bigint }>(sql`
    SELECT kind, balance FROM ledger_account
    WHERE organisation_id = ${organisationId} AND balance IS NOT NULL`);
  const stored = new Map(rows.map(({ kind, balance }) => [kind, balance]));
  const [available, reserved] = [stored.get('wallet'), stored.get('reserved')];
  if (available === undefined || reserved === undefined) {
    throw new Error(`Organisation ${organisationId} has no ledger accounts`);
  }
  return { available, reserved };
}
