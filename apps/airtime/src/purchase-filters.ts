import type { AirtimeStatus, IdRange, Network } from '@gangan/contracts';
import { type Sql, sql, statement, t } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { purchaseColumns, purchaseShape } from './purchase.js';

/** The purchases of an organisation in a range of ids, which are ordered by time. */
export interface PurchaseQuery extends IdRange {
  readonly organisationId: string;
  readonly status?: AirtimeStatus | undefined;
  /** In E.164. */
  readonly recipient?: string | undefined;
  readonly externalRef?: string | undefined;
  readonly network?: Network | undefined;
}

/** With several filters, at most this many purchases that match one of them are compared, newest first. */
const maxCompared = 10_000;

/** Written out, not as a parameter: a partial index serves only a statement that names its states. */
const statusConditions: Readonly<Record<AirtimeStatus, Sql>> = {
  pending: sql`AND state IN ('pending', 'submitting')`,
  sent: sql`AND state = 'sent'`,
  success: sql`AND state = 'success'`,
  failed: sql`AND state = 'failed'`,
  error: sql`AND state = 'error'`,
  duplicate: sql`AND state = 'duplicate'`,
};

const anyQuery: PurchaseQuery = { organisationId: maxId, from: maxId, before: maxId };
const [status, recipient, externalRef, network] = ['failed', '+2348031234567', 'order-17', 'MTN'] as const;

const sampleQueries: readonly PurchaseQuery[] = [
  {},
  { status },
  { status: 'pending' as const },
  { recipient },
  { externalRef },
  { network },
  { status, network },
  { status: 'success' as const, network },
  { status, recipient },
  { recipient, externalRef },
  { status, recipient, externalRef, network },
].map((filters) => ({ ...anyQuery, ...filters }));

/** A condition for each filter, the most selective one first. The index of successful purchases is that of all. */
function conditionsOf(query: PurchaseQuery): Sql[] {
  const inStatus = query.status && statusConditions[query.status];
  return [
    query.externalRef !== undefined &&
      sql`AND external_ref = ${query.externalRef} AND external_ref IS NOT NULL`,
    query.recipient !== undefined && sql`AND recipient = ${query.recipient}`,
    query.status !== 'success' && inStatus,
    query.network !== undefined && sql`AND network = ${query.network}`,
    query.status === 'success' && inStatus,
  ].filter((condition): condition is Sql => typeof condition === 'object');
}

export const hasSeveralFilters = (query: PurchaseQuery): boolean => conditionsOf(query).length > 1;

const inRange = ({ organisationId, from, before }: PurchaseQuery): Sql =>
  sql`organisation_id = ${organisationId} AND id < ${before}::uuid AND id >= ${from}::uuid`;

/** Newest first. OFFSET 0 keeps the planner to the index of the first filter. */
export const listPurchases = statement(
  purchaseShape,
  (query: PurchaseQuery, limit: number) => {
    const [first = sql``, ...others] = conditionsOf(query);
    const end = sql`ORDER BY id DESC LIMIT ${limit}`;
    if (others.length === 0)
      return sql`
        SELECT ${purchaseColumns} FROM airtime_purchase AS purchase WHERE ${inRange(query)} ${first} ${end}`;
    return sql`
      SELECT ${purchaseColumns} FROM (
        SELECT * FROM airtime_purchase WHERE ${inRange(query)} ${first} ORDER BY id DESC OFFSET 0) AS purchase
      WHERE true ${others.reduce((all, condition) => sql`${all} ${condition}`, sql``)} ${end}`;
  },
  { samples: sampleQueries.map((query) => [query, 1]) },
);

/** The last purchase that is compared with several filters, if there may be more behind it. */
export const findLastCompared = statement(
  { id: t.uuid },
  (query: PurchaseQuery) => sql`
    SELECT id FROM airtime_purchase WHERE ${inRange(query)} ${conditionsOf(query)[0] ?? sql``}
    ORDER BY id DESC LIMIT 1 OFFSET ${maxCompared - 1}`,
  { samples: sampleQueries.map((query) => [query]) },
);
