import { type Database, deliveryAttempts, sql, type Statements, unnest } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { formatMicros, parsePrice } from '@gangan/providers';
import { pageSize, storeInBatches } from '../reconcile/comparison.js';
import { pagesOf } from '@gangan/management';
import type { BillLine } from './bill-lines.js';
import { type Month, rangeOf } from './month.js';

/** How a bill and what is stored here differ. */
export const differenceKinds = ['unreadable', 'bill_only', 'stored_only', 'price', 'unknown_cost'] as const;

/** Amounts with their currency; empty texts for what is not known. */
export interface Difference {
  readonly kind: (typeof differenceKinds)[number];
  readonly reference: string;
  readonly line: number | '';
  readonly delivery: string;
  readonly billed: string;
  readonly stored: string;
  readonly billed_status: string;
  readonly stored_status: string;
}

export interface Reconciliation {
  readonly provider: string;
  readonly month: Month;
  /** The currency of prices that name none. */
  readonly currency: string;
  readonly onDifferences: (differences: readonly Difference[]) => Promise<void>;
}

/**
 * Compares a bill with the messages that a provider accepted. The bill is copied to temporary tables, so neither it nor the
 * differences are in memory as a whole. Lines with the same reference are added up, and so are the parts of a message that
 * have references of their own.
 * @returns how many messages of the bill are stored here
 */
export function reconcile(
  database: Database,
  bill: AsyncIterable<BillLine>,
  options: Reconciliation,
): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.execute(sql`
      CREATE TEMPORARY TABLE bill_line (line int, reference text, micros bigint, currency text, status text) ON COMMIT DROP`);
    await copy(transaction, bill, options);
    await transaction.execute(sql`CREATE INDEX ON bill_line (reference)`);
    await transaction.execute(sql`ANALYZE bill_line`);
    await matchReferences(transaction, options);
    const matched = await compareBilled(transaction, options);
    await findUnbilled(transaction, options);
    return matched;
  });
}

/** The currency of the latest known cost of a message of the month; undefined if there is none. */
export async function findCurrency(
  database: Database,
  { provider, month }: Pick<Reconciliation, 'provider' | 'month'>,
): Promise<string | undefined> {
  const { first, end } = rangeOf(month);
  const [found] = await database.query<{ currency: string }>(sql`
    SELECT cost_currency::text AS currency FROM ${deliveryAttempts} AS made
    WHERE delivery_id >= ${first}::uuid AND delivery_id < ${end}::uuid AND provider = ${provider}
      AND cost_currency IS NOT NULL
    ORDER BY delivery_id DESC LIMIT 1`);
  return found?.currency;
}

const copy = (
  transaction: Statements,
  bill: AsyncIterable<BillLine>,
  { currency, onDifferences }: Reconciliation,
): Promise<void> =>
  storeInBatches(
    bill,
    async (line) => {
      const price = parsePrice(line.price, currency);
      if (price && line.reference !== '') return { ...line, ...price };
      const { reference, price: billed, status } = line;
      await onDifferences([
        { ...noDetails, kind: 'unreadable', reference, line: line.line, billed, billed_status: status },
      ]);
      return undefined;
    },
    (rows) => {
      const given = unnest('given', rows, {
        int: ['line'],
        text: ['reference', 'currency', 'status'],
        bigint: ['micros'],
      });
      return transaction.execute(sql`
        INSERT INTO bill_line (line, reference, micros, currency, status)
        SELECT line, reference, micros, currency, status FROM ${given}`);
    },
  );

/**
 * A reference belongs to an attempt of a delivery, or to one part of it. Messages of earlier versions have theirs in the
 * delivery only. If a provider gave one reference to several messages, their lines are compared with one of them.
 */
async function matchReferences(transaction: Statements, { provider }: Reconciliation): Promise<void> {
  await transaction.execute(sql`
    CREATE TEMPORARY TABLE bill_message ON COMMIT DROP AS
    SELECT min(reference) AS reference, min(line) AS line, sum(micros) AS micros, min(status) AS status,
      string_agg(DISTINCT currency, '+') AS currency, delivery_id, attempt
    FROM (
      SELECT bill_line.*, coalesce(named.delivery_id, earlier.id) AS delivery_id, named.attempt FROM bill_line
      LEFT JOIN provider_reference named ON named.provider = ${provider} AND named.reference = bill_line.reference
      LEFT JOIN LATERAL (
        SELECT id FROM delivery
        WHERE named.reference IS NULL AND delivery.provider = ${provider}
          AND delivery.provider_reference = bill_line.reference AND delivery.provider_reference IS NOT NULL
        ORDER BY id LIMIT 1) earlier ON true) matched
    GROUP BY delivery_id, attempt, CASE WHEN delivery_id IS NULL THEN reference END`);
  await transaction.execute(sql`CREATE UNIQUE INDEX ON bill_message (reference)`);
  await transaction.execute(sql`CREATE INDEX ON bill_message (delivery_id)`);
  await transaction.execute(sql`ANALYZE bill_message`);
}

/** A difference of which nothing is known but its kind. */
export const noDetails = {
  reference: '',
  line: '',
  delivery: '',
  billed: '',
  stored: '',
  billed_status: '',
  stored_status: '',
} as const;

interface Compared {
  readonly reference: string;
  readonly line: number;
  readonly billedMicros: string;
  readonly billedCurrency: string;
  readonly billedStatus: string;
  readonly id: string | null;
  readonly state: string | null;
  readonly micros: bigint | null;
  readonly currency: string | null;
}

/** In the order of references. Messages of other months match too, because bills do not change months at midnight UTC. */
async function compareBilled(
  transaction: Statements,
  { provider, onDifferences }: Reconciliation,
): Promise<number> {
  let matched = 0;
  const pages = pagesOf<Compared>(pageSize, (last) =>
    transaction.query(sql`
      SELECT bill.reference, line, bill.micros::text AS "billedMicros", bill.status AS "billedStatus",
        bill.currency AS "billedCurrency", delivery.id, delivery.state, cost.micros, cost.currency
      FROM (
        SELECT * FROM bill_message WHERE reference > ${last?.reference ?? ''} ORDER BY reference LIMIT ${pageSize}) bill
      LEFT JOIN delivery ON delivery.id = bill.delivery_id
      LEFT JOIN LATERAL (
        SELECT cost_micros AS micros, cost_currency AS currency FROM ${deliveryAttempts} AS made
        WHERE delivery_id = bill.delivery_id AND made.attempt = coalesce(bill.attempt, made.attempt)
          AND made.provider = ${provider} AND outcome = 'accepted'
        ORDER BY attempt DESC LIMIT 1) cost ON true
      ORDER BY bill.reference`),
  );
  for await (const page of pages) {
    matched += page.filter(({ id }) => id !== null).length;
    await onDifferences(page.flatMap(differenceOf));
  }
  return matched;
}

function differenceOf(row: Compared): Difference[] {
  const { reference, line, id, state, micros, currency } = row;
  const stored = micros === null || currency === null ? '' : amount(micros, currency);
  const billed = amount(BigInt(row.billedMicros), row.billedCurrency);
  if (id !== null && stored === billed) return [];
  const kind = id === null ? 'bill_only' : stored === '' ? 'unknown_cost' : 'price';
  return [
    {
      kind,
      reference,
      line,
      delivery: id ?? '',
      billed,
      stored,
      billed_status: row.billedStatus,
      stored_status: state ?? '',
    },
  ];
}

/** Messages of live organisations that were accepted in the month, none of whose references is on the bill, by id. */
async function findUnbilled(
  transaction: Statements,
  { provider, month, onDifferences }: Reconciliation,
): Promise<void> {
  const { first, end } = rangeOf(month);
  const pages = pagesOf<Omit<Compared, 'line'> & { readonly id: string }>(pageSize, (last) =>
    transaction.query(sql`
      SELECT delivery.id, provider_reference AS reference, state, cost.micros, cost.currency
      FROM delivery JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
      LEFT JOIN LATERAL (
        SELECT cost_micros AS micros, cost_currency AS currency FROM ${deliveryAttempts} AS made
        WHERE delivery_id = delivery.id AND made.provider = ${provider} AND outcome = 'accepted'
        ORDER BY attempt DESC LIMIT 1) cost ON true
      WHERE delivery.id >= ${first}::uuid AND delivery.id > ${last?.id ?? nilUuid}::uuid AND delivery.id < ${end}::uuid AND delivery.provider = ${provider}
        AND provider_reference IS NOT NULL
        AND NOT EXISTS (SELECT FROM bill_message WHERE delivery_id = delivery.id)
        AND NOT EXISTS (SELECT FROM bill_line WHERE bill_line.reference = provider_reference)
      ORDER BY delivery.id LIMIT ${pageSize}`),
  );
  for await (const page of pages)
    await onDifferences(
      page.map(({ id, reference, state, micros, currency }) => ({
        ...noDetails,
        kind: 'stored_only',
        reference,
        delivery: id,
        stored_status: state ?? '',
        stored: micros === null || currency === null ? '' : amount(micros, currency),
      })),
    );
}

const amount = (micros: bigint, currency: string): string => `${currency} ${formatMicros(micros)}`;
