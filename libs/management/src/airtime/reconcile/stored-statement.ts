import { sql, type Statements, unnest } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { purchaseIdOf } from '@gangan/providers';
import { inBatches } from '../../pages.js';
import { noStatementDetails, type StatementDifference } from './compare.js';
import type { StatementLine, UnreadableLine } from './statement-lines.js';

/** A statement of a provider. */
export interface Statement {
  readonly lines: AsyncIterable<StatementLine | UnreadableLine>;
  /** A report of the API: its lines outside the period only serve to find our purchases. */
  readonly isReport: boolean;
}

export interface StatementReconciliation {
  readonly provider: string;
  /** How long the provider may list a purchase late. */
  readonly listedWithinMs: number;
  readonly from: Date;
  /** Not part of the period. */
  readonly to: Date;
  readonly now: Date;
  readonly onDifferences: (differences: readonly StatementDifference[]) => Promise<void>;
}

/** From when to when a statement has lines, and whether each of our purchases in between would be found in it. */
export interface Coverage {
  first: number;
  last: number;
  isComplete: boolean;
}

const hourMs = 3_600_000;
/** A purchase may wait so long before it is submitted. */
const maxWaitMs = 7 * 24 * hourMs;

/**
 * Copies a statement to temporary tables: `statement_line`, and `statement_purchase` with one row for each of our purchases that
 * it has.
 */
export async function storeStatement(
  transaction: Statements,
  statement: Statement,
  options: StatementReconciliation,
): Promise<Coverage> {
  await transaction.execute(sql`
    CREATE TEMPORARY TABLE statement_line (line int, reference text, provider_reference text, state text, status text,
      purchase_id uuid, micros bigint, is_compared boolean, is_current boolean) ON COMMIT DROP`);
  const coverage = statement.isReport
    ? { first: options.from.getTime(), last: options.now.getTime(), isComplete: true }
    : { first: Infinity, last: -Infinity, isComplete: true };
  for await (const rows of inBatches(toRows(statement, coverage, options))) {
    const given = unnest('given', rows, {
      int: ['line'],
      text: ['reference', 'providerReference', 'state', 'status'],
      uuid: ['purchaseId'],
      bigint: ['micros'],
      bool: ['isCompared'],
    });
    await transaction.execute(sql`INSERT INTO statement_line SELECT * FROM ${given}`);
  }
  await findPurchases(transaction, coverage, options);
  return coverage;
}

async function* toRows(
  { lines, isReport }: Statement,
  coverage: Coverage,
  { from, to, onDifferences }: StatementReconciliation,
) {
  for await (const line of lines) {
    const purchaseId = purchaseIdOf(line.reference) ?? null;
    // A purchase whose answer was lost has no reference of the provider. A report lists the references that we sent.
    if (purchaseId === null && ('fault' in line || (line.reference === '' && !isReport)))
      coverage.isComplete = false;
    if ('fault' in line) {
      const { fault: status, ...ids } = line;
      const reference = line.reference === '' ? line.providerReference : line.reference;
      await onDifferences([
        { ...noStatementDetails, kind: 'unreadable', reference, line: line.line, there_status: status },
      ]);
      yield { ...ids, micros: null, state: 'unclear', status, isCompared: true, purchaseId };
      continue;
    }
    const at = line.at?.getTime();
    if (!isReport && at !== undefined) {
      coverage.first = Math.min(coverage.first, at);
      // The times of a file may be those of Lagos.
      coverage.last = Math.max(coverage.last, at - hourMs);
    }
    const isCompared = !isReport || at === undefined || (at >= from.getTime() && at < to.getTime());
    yield { ...line, isCompared, purchaseId };
  }
}

/**
 * By the id in our reference, or by the reference of the provider. A line about an earlier submission of a purchase, which
 * the provider refused, counts only if it was charged. What was submitted in the period is compared with all its lines.
 */
async function findPurchases(
  transaction: Statements,
  coverage: Coverage,
  { provider, from, to }: StatementReconciliation,
): Promise<void> {
  const { first, end } = idsOf({
    from: new Date(Math.min(from.getTime(), coverage.first)),
    to: new Date(Math.max(to.getTime(), coverage.last)),
  });
  await transaction.execute(sql`
    UPDATE statement_line SET purchase_id = NULL
    WHERE purchase_id IS NOT NULL AND NOT EXISTS (SELECT FROM airtime_purchase WHERE id = purchase_id)`);
  await transaction.execute(sql`ANALYZE statement_line`);
  await transaction.execute(sql`
    UPDATE statement_line SET purchase_id = purchase.id FROM airtime_purchase AS purchase
    WHERE purchase_id IS NULL AND statement_line.provider_reference = purchase.provider_reference
      AND purchase.id >= ${first}::uuid AND purchase.id < ${end}::uuid AND provider = ${provider}`);
  await transaction.execute(sql`
    UPDATE statement_line SET is_current = reference = coalesce(purchase.request_reference, purchase.id::text)
        OR coalesce(statement_line.provider_reference = purchase.provider_reference, false),
      is_compared = is_compared OR coalesce(submitted_at >= ${from} AND submitted_at < ${to}, false)
    FROM airtime_purchase AS purchase WHERE purchase.id = purchase_id`);
  await transaction.execute(sql`
    CREATE TEMPORARY TABLE statement_purchase ON COMMIT DROP AS
    SELECT purchase_id AS id, min(line) AS line,
      min(CASE WHEN reference = '' THEN provider_reference ELSE reference END) AS reference,
      CASE WHEN bool_or(state = 'charged') AND bool_or(state = 'failed' AND is_current) THEN 'contradictory'
        WHEN bool_or(state = 'charged') THEN 'charged' WHEN bool_or(state = 'pending' AND is_current) THEN 'pending'
        WHEN bool_or(state = 'failed' AND is_current) THEN 'failed' ELSE 'unclear' END AS state,
      bool_or(state = 'unclear' OR state = 'charged' AND NOT is_current) AS is_uncertain,
      CASE WHEN NOT bool_or(state = 'charged' AND micros IS NULL)
        THEN (sum(micros) FILTER (WHERE state = 'charged'))::text END AS micros,
      string_agg(DISTINCT status, '+') AS status
    FROM statement_line WHERE purchase_id IS NOT NULL AND (is_current OR state IN ('charged', 'unclear'))
    GROUP BY purchase_id HAVING bool_or(is_compared)`);
  await transaction.execute(sql`CREATE UNIQUE INDEX ON statement_purchase (id)`);
  await transaction.execute(sql`ANALYZE statement_purchase`);
}

/** The ids of the purchases that may have been submitted in the period. */
export const idsOf = ({ from, to }: { from: Date; to: Date }): { first: string; end: string } => ({
  first: firstIdAt(new Date(from.getTime() - maxWaitMs)),
  end: firstIdAt(new Date(to.getTime() + hourMs)),
});
