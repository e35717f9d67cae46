import {
  command,
  type Database,
  type LedgerTransactionKind,
  type RowOf,
  sql,
  statement,
  t,
} from '@gangan/database';
import { type LedgerRule, rules } from './ledger-rules.js';

export interface LedgerFinding {
  readonly rule: string;
  /** The id of the account, transaction, subject or organisation; `message` says which. */
  readonly id: string;
  readonly organisationId: string;
  readonly message: string;
}

export interface LedgerReport {
  /** There are no findings; there may be warnings. */
  readonly clean: boolean;
  /** At most 100 for each rule: repair them, then check again. */
  readonly findings: readonly LedgerFinding[];
  /** Past faults that cannot be repaired any more. */
  readonly warnings: readonly LedgerFinding[];
  /** Only live organisations: the others have play money. */
  readonly totals: readonly LedgerTotal[];
}

/** How many transactions of a kind there are, and how much they moved. */
export type LedgerTotal = RowOf<typeof readTotals>;

const readTotals = statement(
  {
    kind: t.enumOf<LedgerTransactionKind>('ledger_transaction_kind'),
    transactions: t.bigint,
    kobo: t.bigint,
  },
  () => sql`
    SELECT kind, count(DISTINCT ledger_transaction.id) AS transactions, sum(amount)::bigint AS kobo
    FROM ledger_transaction
    JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    JOIN ledger_entry ON transaction_id = ledger_transaction.id AND amount > 0
    GROUP BY kind ORDER BY kind`,
);

const useOneSnapshot = command(() => sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);

/**
 * Checks every rule against one snapshot of the whole ledger, which may be in use. Millions of entries take longer than
 * the default statement timeout: pass a `Database` with a larger `statementTimeoutMs`.
 */
export const checkLedger = (database: Database): Promise<LedgerReport> =>
  database.transaction(async (transaction) => {
    await transaction.run(useOneSnapshot);
    const found: Record<LedgerRule['level'], LedgerFinding[]> = { finding: [], warning: [] };
    for (const { name, broken, level, violations } of rules) {
      for (const { id, organisationId, detail } of await transaction.run(violations))
        found[level].push({ rule: name, id, organisationId, message: `${id}: ${broken} (${detail})` });
    }
    const totals = await transaction.run(readTotals);
    return { clean: found.finding.length === 0, findings: found.finding, warnings: found.warning, totals };
  });
