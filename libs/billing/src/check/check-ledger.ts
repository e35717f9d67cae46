import { type Database, type LedgerTransactionKind, sql, type Statements } from '@gangan/database';
import { type Rule, rules } from './rules.js';

/** A rule that does not hold, and where. */
export interface LedgerFinding {
  readonly rule: string;
  /** Of the account, transaction, subject or organisation; `message` says which. */
  readonly id: string;
  readonly organisationId: string;
  readonly message: string;
}

export interface LedgerTotal {
  readonly kind: LedgerTransactionKind;
  readonly transactions: bigint;
  /** What moved, in kobo. */
  readonly kobo: bigint;
}

export interface LedgerReport {
  /** Nothing was found; there may be warnings. */
  readonly clean: boolean;
  /** How many are shown of one rule is limited: mend, then check again. */
  readonly findings: readonly LedgerFinding[];
  /** What once went wrong, and cannot be mended any more. */
  readonly warnings: readonly LedgerFinding[];
  /** Of live organisations: the money of the others is play money. */
  readonly totals: readonly LedgerTotal[];
}

/**
 * Holds every rule against the whole ledger, as it was at one moment: it may be in use meanwhile. The work is done by
 * the database in aggregates; millions of entries take longer than a usual statement may, so pass a `Database` with a
 * `statementTimeoutMs` of its own.
 */
export const checkLedger = (database: Database): Promise<LedgerReport> =>
  database.transaction(async (transaction) => {
    await transaction.execute(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    const findings: LedgerFinding[] = [];
    const warnings: LedgerFinding[] = [];
    for (const rule of rules) {
      (rule.warns ? warnings : findings).push(...(await findingsOf(transaction, rule)));
    }
    return { clean: findings.length === 0, findings, warnings, totals: await totalsOf(transaction) };
  });

interface Exception {
  readonly id: string;
  readonly organisationId: string;
  readonly detail: string;
}

async function findingsOf(transaction: Statements, rule: Rule): Promise<LedgerFinding[]> {
  const exceptions = await transaction.query<Exception>(rule.exceptions);
  return exceptions.map(({ id, organisationId, detail }) => ({
    rule: rule.name,
    id,
    organisationId,
    message: `${id}: ${rule.broken} (${detail})`,
  }));
}

const totalsOf = (transaction: Statements): Promise<LedgerTotal[]> =>
  transaction.query(sql`
    SELECT kind, count(DISTINCT ledger_transaction.id) AS transactions, sum(amount)::bigint AS kobo
    FROM ledger_transaction
    JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    JOIN ledger_entry ON transaction_id = ledger_transaction.id AND amount > 0
    GROUP BY kind ORDER BY kind`);
