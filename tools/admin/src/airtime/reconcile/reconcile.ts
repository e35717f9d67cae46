import { type AirtimeState, type Database, sql, type Statements, unnest } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { formatMicros, purchaseIdOf } from '@gangan/providers';
import { compare, type Comparison, type DifferenceKind, type Resolution } from './compare.js';
import type { StatementLine, UnreadableLine } from './statement-lines.js';

/** Amounts in naira; empty texts for what is not known. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly reference: string;
  readonly line: number | '';
  readonly purchase: string;
  readonly there: string;
  readonly here: string;
  readonly there_status: string;
  readonly here_status: string;
  /** What `--resolve` stores. */
  readonly resolution: Resolution;
}

/** A statement of a provider. */
export interface Statement {
  readonly lines: AsyncIterable<StatementLine | UnreadableLine>;
  /** A report of the API: its lines outside the period only serve to find our purchases. */
  readonly isReport: boolean;
}

export interface Reconciliation {
  readonly provider: string;
  /** How long the provider may list a purchase late. */
  readonly listedWithinMs: number;
  readonly from: Date;
  /** Not part of the period. */
  readonly to: Date;
  readonly now: Date;
  readonly onDifferences: (differences: readonly Difference[]) => Promise<void>;
}

/** From when to when a statement has lines, and whether each of our purchases in between would be found in it. */
interface Coverage {
  first: number;
  last: number;
  isComplete: boolean;
}

const batchSize = 5_000;
const pageSize = 1_000;
const hourMs = 3_600_000;
/** A purchase may wait so long before it is submitted. */
const maxWaitMs = 7 * 24 * hourMs;
const microsPerKobo = 10_000n;

/**
 * Compares a statement with the purchases that a provider got. The statement is copied to a temporary table, so neither it nor
 * the differences are in memory as a whole. Lines about the same purchase are added up.
 * @returns how many purchases of the statement are stored here
 */
export function reconcile(
  database: Database,
  statement: Statement,
  options: Reconciliation,
): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.execute(sql`
      CREATE TEMPORARY TABLE statement_line (line int, reference text, provider_reference text, purchase_id uuid,
        micros bigint, state text, status text, is_compared boolean, is_current boolean) ON COMMIT DROP`);
    const coverage = await copy(transaction, statement, options);
    await findPurchases(transaction, coverage, options);
    const matched = await compareListed(transaction, options);
    await listUnknown(transaction, options);
    await compareAbsent(transaction, coverage, options);
    return matched;
  });
}

async function copy(
  transaction: Statements,
  { lines, isReport }: Statement,
  { from, to, now, onDifferences }: Reconciliation,
): Promise<Coverage> {
  const coverage = isReport
    ? { first: from.getTime(), last: now.getTime(), isComplete: true }
    : { first: Infinity, last: -Infinity, isComplete: true };
  let rows: StoredLine[] = [];
  const flush = async (): Promise<void> => {
    const given = unnest('given', rows, {
      int: ['line'],
      text: ['reference', 'providerReference', 'state', 'status'],
      uuid: ['purchaseId'],
      bigint: ['micros'],
      bool: ['isCompared'],
    });
    await transaction.execute(sql`
      INSERT INTO statement_line (line, reference, provider_reference, state, status, purchase_id, micros, is_compared)
      SELECT line, reference, provider_reference, state, status, purchase_id, micros, is_compared FROM ${given}`);
    rows = [];
  };
  for await (const line of lines) {
    const purchaseId = purchaseIdOf(line.reference) ?? null;
    // A purchase whose answer was lost has no reference of the provider. A report lists the references that we sent.
    if (purchaseId === null && ('fault' in line || (line.reference === '' && !isReport)))
      coverage.isComplete = false;
    if ('fault' in line) {
      const { fault: status, ...ids } = line;
      const reference = line.reference === '' ? line.providerReference : line.reference;
      await onDifferences([
        { ...nothing, kind: 'unreadable', reference, line: line.line, there_status: status },
      ]);
      rows.push({
        ...ids,
        micros: null,
        state: 'unclear',
        status,
        at: undefined,
        isCompared: true,
        purchaseId,
      });
      continue;
    }
    const at = line.at?.getTime();
    if (!isReport && at !== undefined) {
      coverage.first = Math.min(coverage.first, at);
      // The times of a file may be those of Lagos.
      coverage.last = Math.max(coverage.last, at - hourMs);
    }
    const isCompared = !isReport || at === undefined || (at >= from.getTime() && at < to.getTime());
    rows.push({ ...line, isCompared, purchaseId });
    if (rows.length >= batchSize) await flush();
  }
  await flush();
  return coverage;
}

interface StoredLine extends Omit<StatementLine, 'state'> {
  readonly state: StatementLine['state'] | 'unclear';
  readonly isCompared: boolean;
  readonly purchaseId: string | null;
}

/**
 * By the id in our reference, or by the reference of the provider. A line about an earlier submission of a purchase, which
 * the provider refused, counts only if it was charged.
 */
async function findPurchases(
  transaction: Statements,
  coverage: Coverage,
  options: Reconciliation,
): Promise<void> {
  const { first, end } = idsOf({
    from: new Date(Math.min(options.from.getTime(), coverage.first)),
    to: new Date(Math.max(options.to.getTime(), coverage.last)),
  });
  await transaction.execute(sql`
    UPDATE statement_line SET purchase_id = NULL
    WHERE purchase_id IS NOT NULL AND NOT EXISTS (SELECT FROM airtime_purchase WHERE id = purchase_id)`);
  await transaction.execute(sql`ANALYZE statement_line`);
  await transaction.execute(sql`
    UPDATE statement_line SET purchase_id = purchase.id FROM airtime_purchase AS purchase
    WHERE purchase_id IS NULL AND statement_line.provider_reference = purchase.provider_reference
      AND purchase.id >= ${first}::uuid AND purchase.id < ${end}::uuid AND provider = ${options.provider}`);
  await transaction.execute(sql`
    UPDATE statement_line SET is_current = reference = coalesce(purchase.request_reference, purchase.id::text)
      OR coalesce(statement_line.provider_reference = purchase.provider_reference, false)
    FROM airtime_purchase AS purchase WHERE purchase.id = purchase_id`);
  await transaction.execute(sql`
    CREATE TEMPORARY TABLE statement_purchase ON COMMIT DROP AS
    SELECT purchase_id AS id, min(line) AS line, bool_or(is_compared) AS is_compared,
      min(CASE WHEN reference = '' THEN provider_reference ELSE reference END) AS reference,
      CASE WHEN bool_or(state = 'charged') AND bool_or(state = 'failed' AND is_current) THEN 'contradictory'
        WHEN bool_or(state = 'charged') THEN 'charged' WHEN bool_or(state = 'pending' AND is_current) THEN 'pending'
        WHEN bool_or(state = 'failed' AND is_current) THEN 'failed' ELSE 'unclear' END AS state,
      bool_or(state = 'unclear' OR state = 'charged' AND NOT is_current) AS is_uncertain,
      CASE WHEN NOT bool_or(state = 'charged' AND micros IS NULL)
        THEN (sum(micros) FILTER (WHERE state = 'charged'))::text END AS micros,
      string_agg(DISTINCT status, '+') AS status
    FROM statement_line WHERE purchase_id IS NOT NULL AND (is_current OR state IN ('charged', 'unclear'))
    GROUP BY purchase_id`);
  await transaction.execute(sql`CREATE UNIQUE INDEX ON statement_purchase (id)`);
  await transaction.execute(sql`ANALYZE statement_purchase`);
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
  EXISTS (SELECT FROM ledger_transaction WHERE subject_id = purchase.id AND kind = 'loss') AS "hasLoss"`;

/** By id. What is on the statement is compared even if it was submitted outside the period. */
async function compareListed(transaction: Statements, options: Reconciliation): Promise<number> {
  let [last, matched] = [firstIdAt(new Date(0)), 0];
  for (;;) {
    const page = await transaction.query<Listed & { readonly isCompared: boolean }>(sql`
      SELECT listed.line, listed.reference, listed.state AS there, listed.micros, listed.status,
        listed.is_uncertain AS "isUncertain", ${ownColumns},
        listed.is_compared OR submitted_at >= ${options.from} AND submitted_at < ${options.to} AS "isCompared"
      FROM (SELECT * FROM statement_purchase WHERE id > ${last}::uuid ORDER BY id LIMIT ${pageSize}) listed
      JOIN airtime_purchase AS purchase ON purchase.id = listed.id ORDER BY listed.id`);
    const compared = page.filter(({ isCompared }) => isCompared);
    matched += compared.length;
    await options.onDifferences(
      compared.flatMap((row) => {
        const { there, line, reference, status } = row;
        const micros = row.micros === null ? null : BigInt(row.micros);
        const isFinal = there === 'charged' || isOlder(row, options.now.getTime() - options.listedWithinMs);
        return differenceOf(
          row,
          { there, micros, isProof: isFinal && !row.isUncertain },
          { line, reference, there_status: status },
          options,
        );
      }),
    );
    const next = page.at(-1);
    if (!next || page.length < pageSize) return matched;
    last = next.id;
  }
}

/** Purchases of the period that the statement does not have, although it could. */
async function compareAbsent(
  transaction: Statements,
  coverage: Coverage,
  options: Reconciliation,
): Promise<void> {
  const { provider, from, to, now, listedWithinMs, onDifferences } = options;
  const until = new Date(Math.min(to.getTime(), now.getTime() - listedWithinMs));
  const { first, end } = idsOf(options);
  for (let next: string | undefined = first; next !== undefined;) {
    const page: (OwnPurchase & { readonly reference: string })[] = await transaction.query(sql`
      SELECT ${ownColumns}, coalesce(request_reference, purchase.id::text) AS reference
      FROM airtime_purchase AS purchase
      WHERE purchase.id >= ${next}::uuid AND purchase.id < ${end}::uuid AND provider = ${provider}
        AND submitted_at >= ${from} AND submitted_at < ${until} AND state NOT IN ('pending', 'failed', 'duplicate')
        AND NOT EXISTS (SELECT FROM statement_purchase WHERE id = purchase.id)
      ORDER BY purchase.id LIMIT ${pageSize + 1}`);
    await onDifferences(
      page.slice(0, pageSize).flatMap((row) => {
        const submitted = row.submittedAt?.getTime() ?? 0;
        const isProof =
          coverage.isComplete && submitted >= coverage.first && submitted <= coverage.last - listedWithinMs;
        const { reference } = row;
        return differenceOf(row, { there: 'absent', micros: null, isProof }, { reference }, options);
      }),
    );
    next = page[pageSize]?.id;
  }
}

/** Lines without a charge cost nothing. */
async function listUnknown(transaction: Statements, { onDifferences }: Reconciliation): Promise<void> {
  for (let last = 0; ;) {
    const page = await transaction.query<
      Pick<Listed, 'line' | 'reference' | 'status'> & { micros: bigint | null }
    >(sql`
      SELECT line, CASE WHEN reference = '' THEN provider_reference ELSE reference END AS reference, micros, status
      FROM statement_line
      WHERE purchase_id IS NULL AND is_compared AND state IN ('charged', 'pending') AND line > ${last} ORDER BY line LIMIT ${pageSize}`);
    await onDifferences(
      page.map(({ line, reference, micros, status }) => {
        const there = micros === null ? '' : formatMicros(micros);
        return { ...nothing, kind: 'unknown_there', reference, line, there, there_status: status };
      }),
    );
    const next = page.at(-1);
    if (!next || page.length < pageSize) return;
    last = next.line;
  }
}

function differenceOf(
  row: OwnPurchase,
  given: Pick<Comparison, 'there' | 'micros' | 'isProof'>,
  shown: Partial<Difference>,
  { provider }: Reconciliation,
): Difference[] {
  const here = hereOf(row, provider);
  const found = compare({ ...given, here, kobo: row.kobo });
  if (!found) return [];
  const isLossBooked = row.hasLoss && here === 'refunded' && given.micros === row.kobo * microsPerKobo;
  if (found.kind === 'charged_there' && isLossBooked) return [];
  const isElsewhere = row.provider !== null && row.provider !== provider;
  return [
    {
      ...nothing,
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

const isOlder = ({ submittedAt }: OwnPurchase, at: number): boolean =>
  (submittedAt?.getTime() ?? Infinity) <= at;

/** The ids of the purchases that may have been submitted in the period. */
const idsOf = ({ from, to }: Pick<Reconciliation, 'from' | 'to'>): { first: string; end: string } => ({
  first: firstIdAt(new Date(from.getTime() - maxWaitMs)),
  end: firstIdAt(new Date(to.getTime() + hourMs)),
});

const nothing = {
  line: '',
  purchase: '',
  reference: '',
  there: '',
  here: '',
  there_status: '',
  here_status: '',
  resolution: '',
} as const;
