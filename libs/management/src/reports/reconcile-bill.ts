import { type Database, deliveryAttempts, sql, type Statements, unnest } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { type CostSettings, formatMicros, parsePrice } from '@gangan/providers';
import { inBatches, pagesOf } from '../pages.js';
import { Refusal } from '../refusal.js';
import { type Month, rangeOf } from './month.js';

const pageSize = 1_000;

/** How a bill and what is stored here differ. */
export const billDifferenceKinds = [
  'unreadable',
  'bill_only',
  'stored_only',
  'price',
  'unknown_cost',
] as const;

/** A difference of which nothing is known but its kind. Amounts have their currency. */
export const noBillDetails = {
  reference: '',
  line: '' as number | '',
  delivery: '',
  billed: '',
  stored: '',
  billed_status: '',
  stored_status: '',
};

export type BillDifference = Readonly<typeof noBillDetails> & {
  readonly kind: (typeof billDifferenceKinds)[number];
};

/** A line of a bill. Texts are empty if the bill does not have them. */
export interface BillLine {
  readonly line: number;
  readonly reference?: string;
  readonly price?: string;
  readonly status?: string;
}

interface Bill {
  readonly provider: string;
  readonly month: Month;
}

export interface BillReconciliation extends Bill {
  /** The currency of prices that name none. */
  readonly currency: string;
  readonly onDifferences: (differences: readonly BillDifference[]) => Promise<void>;
}

/**
 * Compares a bill with the messages that a provider accepted. The bill is copied to temporary tables, so neither it nor the
 * differences are in memory as a whole. Lines with the same reference are added up, and so are the parts of a message that
 * have references of their own.
 * @returns how many messages of the bill are stored here
 */
export const reconcileBill = (
  database: Database,
  lines: AsyncIterable<BillLine>,
  options: BillReconciliation,
): Promise<number> =>
  database.transaction(async (transaction) => {
    await transaction.execute(sql`
      CREATE TEMPORARY TABLE bill_line (line int, reference text, currency text, status text, micros bigint) ON COMMIT DROP`);
    for await (const rows of inBatches(readable(lines, options))) {
      const given = unnest('given', rows, {
        int: ['line'],
        text: ['reference', 'currency', 'status'],
        bigint: ['micros'],
      });
      await transaction.execute(sql`INSERT INTO bill_line SELECT * FROM ${given}`);
    }
    await transaction.execute(sql`CREATE INDEX ON bill_line (reference)`);
    await transaction.execute(sql`ANALYZE bill_line`);
    await matchReferences(transaction, options);
    const matched = await compareBilled(transaction, options);
    await findUnbilled(transaction, options);
    return matched;
  });

/**
 * The currency of prices that name none: the given one, else that of the latest known cost of a message of the month, else of
 * the settings of the provider, else naira.
 * @throws Refusal if there is and was no such provider
 */
export async function findBillCurrency(
  database: Database,
  { provider, month }: Bill,
  given: string | undefined,
): Promise<string> {
  const used = await database.delivery.findFirst({ where: { provider }, select: { id: true } });
  const known = await database.provider.findUnique({ where: { name: provider } });
  if (!used && !known)
    throw new Refusal('not_found', `There is no provider ${provider}`, { next: 'list_providers' });
  if (given !== undefined) return given;
  const { first, end } = rangeOf(month);
  const [latest] = await database.query<{ currency: string }>(sql`
    SELECT cost_currency::text AS currency FROM ${deliveryAttempts} AS made
    WHERE delivery_id >= ${first}::uuid AND delivery_id < ${end}::uuid AND provider = ${provider}
      AND cost_currency IS NOT NULL
    ORDER BY delivery_id DESC LIMIT 1`);
  const settings = known?.settings as { readonly cost?: CostSettings } | undefined;
  return latest?.currency ?? settings?.cost?.currency ?? 'NGN';
}

async function* readable(lines: AsyncIterable<BillLine>, { currency, onDifferences }: BillReconciliation) {
  for await (const { line, reference = '', price = '', status = '' } of lines) {
    const parsed = parsePrice(price, currency);
    if (parsed && reference !== '') yield { line, reference, status, ...parsed };
    else
      await onDifferences([
        { ...noBillDetails, kind: 'unreadable', reference, line, billed: price, billed_status: status },
      ]);
  }
}

/**
 * A reference belongs to an attempt of a delivery, or to one part of it. Messages of earlier versions have theirs in the
 * delivery only. If a provider gave one reference to several messages, their lines are compared with one of them.
 */
async function matchReferences(transaction: Statements, { provider }: BillReconciliation): Promise<void> {
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
  { provider, onDifferences }: BillReconciliation,
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

function differenceOf(row: Compared): BillDifference[] {
  const { reference, line, id, state, billedStatus: billed_status } = row;
  const stored = amount(row.micros, row.currency);
  const billed = amount(BigInt(row.billedMicros), row.billedCurrency);
  if (id !== null && stored === billed) return [];
  const kind = id === null ? 'bill_only' : stored === '' ? 'unknown_cost' : 'price';
  const shown = { reference, line, delivery: id ?? '', billed, stored };
  return [{ kind, ...shown, billed_status, stored_status: state ?? '' }];
}

/** Messages of live organisations that were accepted in the month, none of whose references is on the bill, by id. */
async function findUnbilled(
  transaction: Statements,
  { provider, month, onDifferences }: BillReconciliation,
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
        ...noBillDetails,
        kind: 'stored_only',
        reference,
        delivery: id,
        stored_status: state ?? '',
        stored: amount(micros, currency),
      })),
    );
}

/** Empty if it is not known. */
const amount = (micros: bigint | null, currency: string | null): string =>
  micros === null || currency === null ? '' : `${currency} ${formatMicros(micros)}`;
