import { type AirtimeState, type Database, sql, type Statements } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { formatMicros, microsPerKobo, parseMicros } from '@gangan/providers';
import { pagesOf } from '../../pages.js';
import type { ProvenOutcome } from '../purchases.js';
import {
  compare,
  type Comparison,
  noStatementDetails,
  type StatementDifference,
  statementDifferenceKinds,
} from './compare.js';
import {
  type Coverage,
  idsOf,
  type Statement,
  type StatementReconciliation,
  storeStatement,
} from './stored-statement.js';

const pageSize = 1_000;

/**
 * Compares a statement with the purchases that a provider got. The statement is copied to a temporary table, so neither it nor
 * the differences are in memory as a whole. Lines about the same purchase are added up.
 * @returns how many purchases of the statement are stored here, what it proves, and the sums of the differences in millionths
 */
export async function reconcileStatement(
  database: Database,
  statement: Statement,
  options: StatementReconciliation,
) {
  const kinds = statementDifferenceKinds.map((kind) => ({ kind, count: 0, there: 0n, here: 0n }));
  const proven: ProvenOutcome[] = [];
  const onDifferences = async (differences: readonly StatementDifference[]) => {
    await options.onDifferences(differences);
    for (const { kind, purchase: id, resolution: outcome, ...amounts } of differences) {
      const [there = 0n, here = 0n] = [amounts.there, amounts.here].map(parseMicros);
      const sums = kinds.find((own) => own.kind === kind);
      if (sums) {
        sums.count += 1;
        sums.there += there;
        sums.here += here;
      }
      if (outcome !== '') proven.push({ id, outcome, kobo: here / microsPerKobo });
    }
  };
  const matched = await database.transaction(async (transaction) => {
    const given = { ...options, onDifferences };
    const coverage = await storeStatement(transaction, statement, given);
    const listed = await compareListed(transaction, given);
    await listUnknown(transaction, given);
    await compareAbsent(transaction, coverage, given);
    return listed;
  });
  return { matched, proven, kinds };
}

interface OwnPurchase {
  readonly id: string;
  readonly state: AirtimeState;
  readonly resolution: AirtimeState | null;
  readonly provider: string | null;
  readonly kobo: bigint;
  readonly submittedAt: Date | null;
  readonly hasLoss: boolean;
}

interface Listed extends OwnPurchase {
  readonly line: number;
  readonly reference: string;
  readonly there: Exclude<Comparison['there'], 'absent'>;
  /** A line cannot be read, or an earlier submission was charged. */
  readonly isUncertain: boolean;
  readonly micros: string | null;
  readonly status: string;
}

const ownColumns = sql`
  purchase.id, purchase.state, purchase.resolution, purchase.provider, purchase.amount_kobo AS kobo,
  purchase.submitted_at AS "submittedAt",
  EXISTS (SELECT FROM ledger_movement WHERE subject_id = purchase.id AND kind = 'loss') AS "hasLoss"`;

/** By id. What is on the statement is compared even if it was submitted outside the period. */
async function compareListed(transaction: Statements, options: StatementReconciliation): Promise<number> {
  const { now, listedWithinMs, onDifferences } = options;
  let matched = 0;
  const pages = pagesOf<Listed>(pageSize, (last) =>
    transaction.query(sql`
      SELECT listed.line, listed.reference, listed.state AS there, listed.micros, listed.status,
        listed.is_uncertain AS "isUncertain", ${ownColumns}
      FROM (SELECT * FROM statement_purchase WHERE id > ${last?.id ?? nilUuid}::uuid ORDER BY id LIMIT ${pageSize}) listed
      JOIN airtime_purchase AS purchase ON purchase.id = listed.id ORDER BY listed.id`),
  );
  for await (const page of pages) {
    matched += page.length;
    await onDifferences(
      page.flatMap((row) => {
        const { there, line, reference, status: there_status } = row;
        const micros = row.micros === null ? null : BigInt(row.micros);
        const submitted = row.submittedAt?.getTime() ?? Infinity;
        const isFinal = there === 'charged' || submitted <= now.getTime() - listedWithinMs;
        const given = { there, micros, isProof: isFinal && !row.isUncertain };
        return differenceOf(row, given, { line, reference, there_status }, options);
      }),
    );
  }
  return matched;
}

/** Purchases of the period that the statement does not have, although it could. */
async function compareAbsent(
  transaction: Statements,
  coverage: Coverage,
  options: StatementReconciliation,
): Promise<void> {
  const { provider, from, to, now, listedWithinMs, onDifferences } = options;
  const until = new Date(Math.min(to.getTime(), now.getTime() - listedWithinMs));
  const { first, end } = idsOf(options);
  const pages = pagesOf<OwnPurchase & { readonly reference: string }>(pageSize, (last) =>
    transaction.query(sql`
      SELECT ${ownColumns}, coalesce(request_reference, purchase.id::text) AS reference
      FROM airtime_purchase AS purchase
      WHERE purchase.id >= ${first}::uuid AND purchase.id > ${last?.id ?? nilUuid}::uuid AND purchase.id < ${end}::uuid AND provider = ${provider}
        AND submitted_at >= ${from} AND submitted_at < ${until} AND state NOT IN ('pending', 'failed', 'duplicate')
        AND NOT EXISTS (SELECT FROM statement_purchase WHERE id = purchase.id)
      ORDER BY purchase.id LIMIT ${pageSize}`),
  );
  for await (const page of pages)
    await onDifferences(
      page.flatMap((row) => {
        const submitted = row.submittedAt?.getTime() ?? 0;
        const isProof =
          coverage.isComplete && submitted >= coverage.first && submitted <= coverage.last - listedWithinMs;
        const { reference } = row;
        return differenceOf(row, { there: 'absent', micros: null, isProof }, { reference }, options);
      }),
    );
}

/** Lines without a charge cost nothing. */
async function listUnknown(
  transaction: Statements,
  { onDifferences }: StatementReconciliation,
): Promise<void> {
  const pages = pagesOf<Pick<Listed, 'line' | 'reference' | 'status'> & { micros: bigint | null }>(
    pageSize,
    (last) =>
      transaction.query(sql`
      SELECT line, CASE WHEN reference = '' THEN provider_reference ELSE reference END AS reference, micros, status
      FROM statement_line
      WHERE purchase_id IS NULL AND is_compared AND state IN ('charged', 'pending') AND line > ${last?.line ?? 0} ORDER BY line LIMIT ${pageSize}`),
  );
  for await (const page of pages)
    await onDifferences(
      page.map(({ line, reference, micros, status }) => {
        const there = micros === null ? '' : formatMicros(micros);
        return { ...noStatementDetails, kind: 'unknown_there', reference, line, there, there_status: status };
      }),
    );
}

function differenceOf(
  row: OwnPurchase,
  given: Pick<Comparison, 'there' | 'micros' | 'isProof'>,
  shown: Partial<StatementDifference>,
  { provider }: StatementReconciliation,
): StatementDifference[] {
  const here = hereOf(row, provider);
  const found = compare({ ...given, here, kobo: row.kobo });
  if (!found) return [];
  const isLossBooked = row.hasLoss && here === 'refunded' && given.micros === row.kobo * microsPerKobo;
  if (found.kind === 'charged_there' && isLossBooked) return [];
  const isElsewhere = row.provider !== null && row.provider !== provider;
  return [
    {
      ...noStatementDetails,
      ...shown,
      ...found,
      purchase: row.id,
      there: given.micros === null ? '' : formatMicros(given.micros),
      here: formatMicros(row.kobo * microsPerKobo),
      here_status: isElsewhere ? `${row.state} (${row.provider})` : row.state,
    },
  ];
}

/** A resolution counts as the state that it leads to. */
function hereOf({ provider, state, resolution }: OwnPurchase, ownProvider: string): Comparison['here'] {
  if (provider !== ownProvider || state === 'pending') return 'elsewhere';
  const outcome = state === 'sent' || state === 'error' ? (resolution ?? state) : state;
  if (outcome === 'success') return 'charged';
  return outcome === 'failed' || outcome === 'duplicate' ? 'refunded' : 'waiting';
}
