import type { IdRange, MessageCategory, SmsStatus } from '@gangan/contracts';
import {
  type Channel,
  type DeliveryState,
  distinctKeys,
  Prisma,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { deliveriesIn, inStateOrder } from '../message-status.js';

/** The messages of an organisation in a range of ids, which are ordered by time. */
export interface MessageQuery extends IdRange {
  readonly organisationId: string;
  /** Only messages with a delivery in this status. */
  readonly status?: SmsStatus | undefined;
  /** Only messages to this number, in E.164. With a status: whose delivery to this number has it. */
  readonly recipient?: string | undefined;
  readonly externalRef?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly category?: MessageCategory | undefined;
}

/** At most this many messages, newest first, are compared with filters that no index answers. */
const maxCompared = 10_000;

/** Few deliveries have these, so they have an index by status: the predicate of `delivery_failed_idx`. */
const failedStatuses: readonly SmsStatus[] = ['undelivered', 'expired', 'rejected', 'failed', 'canceled'];
const isFailed = sql`state IN ('undelivered', 'expired', 'rejected', 'failed', 'canceled')`;

const anyQuery: MessageQuery = { organisationId: maxId, from: maxId, before: maxId };
const [status, recipient, externalRef] = ['failed', '+2348031234567', 'order-17'] as const;

/** One query for each way in which messages are found. */
export const sampleQueries: readonly MessageQuery[] = [
  {},
  { status },
  { status: 'queued' as const },
  { status: 'delivered' as const },
  { recipient },
  { externalRef },
  { channel: 'sms' as const },
  { category: 'promotional' as const },
  { channel: 'sms' as const, category: 'promotional' as const },
  { status, channel: 'sms' as const, category: 'promotional' as const },
  { status, recipient },
  { status, recipient, channel: 'sms' as const },
  { status, externalRef },
  { recipient, externalRef },
  { recipient, category: 'promotional' as const },
  { externalRef, channel: 'sms' as const },
  { status, recipient, externalRef, channel: 'sms' as const, category: 'promotional' as const },
].map((filters) => ({ ...anyQuery, ...filters }));

const filters = ['externalRef', 'recipient', 'status', 'channel', 'category'] as const;

/** The most selective filter with an index; undefined if there is none, and all messages of the range are candidates. */
function indexedFilter({ externalRef, recipient: number, status: wanted }: MessageQuery) {
  if (externalRef !== undefined) return 'externalRef';
  if (number !== undefined) return 'recipient';
  return wanted !== undefined && failedStatuses.includes(wanted) ? 'status' : undefined;
}

/** Whether the candidates are compared with further filters. */
export const isCompared = (query: MessageQuery): boolean =>
  filters.some((filter) => query[filter] !== undefined && filter !== indexedFilter(query));

/** Parts of a WITH RECURSIVE clause; the last one, `found`, has the ids of the messages, newest first. */
export function foundMessages(query: MessageQuery, limit: number, offset: number): Sql {
  const size = sql`LIMIT ${limit} OFFSET ${offset}`;
  if (!isCompared(query))
    return sql`${candidates(query, limit + offset)}, found (id) AS (
      SELECT id FROM candidate ${size})`;
  return sql`${candidates(query, undefined)}, found (id) AS (
      SELECT candidate.id FROM candidate
      CROSS JOIN LATERAL (SELECT FROM message WHERE id = candidate.id ${messageConditions(query)} LIMIT 1) AS shown
      ${deliveryCondition(query)}
      ORDER BY candidate.id DESC ${size})`;
}

/** The last message that is compared with the filters, if there may be more behind it. */
export const findLastCompared = statement(
  { id: t.uuid },
  (query: MessageQuery) => sql`
    WITH RECURSIVE ${candidates(query, maxCompared)}
    SELECT id FROM candidate LIMIT 1 OFFSET ${maxCompared - 1}`,
  { samples: sampleQueries.map((query) => [query]) },
);

/** `candidate`: the messages that match the indexed filter, newest first. OFFSET 0 keeps the planner to its index. */
function candidates(query: MessageQuery, size: number | undefined): Sql {
  const end = size === undefined ? sql`OFFSET 0` : sql`LIMIT ${size}`;
  const named = (select: Sql): Sql => sql`candidate (id) AS (${select})`;
  const messages = (condition: Sql): Sql =>
    named(sql`SELECT id FROM message WHERE ${inRange(sql`id`, query)} ${condition} ORDER BY id DESC ${end}`);
  switch (indexedFilter(query)) {
    case 'externalRef':
      return messages(sql`AND external_ref = ${query.externalRef} AND external_ref IS NOT NULL`);
    case 'recipient':
      return named(sql`
        SELECT message_id FROM delivery
        WHERE ${inRange(sql`message_id`, query)} AND recipient = ${query.recipient} AND message_id IS NOT NULL
        ORDER BY message_id DESC ${end}`);
    case 'status':
      return sql`${messagesInStatus(query)},
        ${named(sql`SELECT message_id FROM matching_message ${end}`)}`;
    case undefined:
      return messages(sql``);
  }
}

const inRange = (id: Sql, { organisationId, from, before }: MessageQuery): Sql =>
  sql`organisation_id = ${organisationId} AND ${id} < ${before}::uuid AND ${id} >= ${from}::uuid`;

const messageConditions = ({ channel, category }: MessageQuery): Sql => sql`
  ${channel === undefined ? sql`` : sql`AND channel = ${channel}::channel`}
  ${category === undefined ? sql`` : sql`AND category = ${category}`}`;

/**
 * Whether a delivery of the candidate matches. A delivery to a number is found by a range of one id, because with an
 * equality the planner may prefer an index on message_id, which reads all deliveries of a large message.
 */
function deliveryCondition(query: MessageQuery): Sql {
  const { organisationId, recipient: number, status: wanted } = query;
  const indexed = indexedFilter(query);
  const states = wanted && indexed !== 'status' ? statesOf(wanted) : undefined;
  if (number !== undefined && (states || indexed !== 'recipient'))
    return sql`CROSS JOIN LATERAL (
      SELECT FROM delivery
      WHERE organisation_id = ${organisationId} AND recipient = ${number}
        ${states ? sql`AND state = ANY (${states}::delivery_state[])` : sql``}
        AND message_id >= candidate.id AND message_id <= candidate.id AND message_id IS NOT NULL LIMIT 1) AS matching`;
  if (!states || number !== undefined) return sql``;
  const inStates = states.map((state) => {
    const own = deliveriesIn(state, sql`candidate.id`);
    return sql`(SELECT true FROM delivery WHERE ${own} ${inStateOrder} LIMIT 1)`;
  });
  return sql`CROSS JOIN LATERAL (SELECT FROM (${Prisma.join(inStates, ' UNION ALL ')}) AS own LIMIT 1) AS matching`;
}

/** `submitting` is internal and shown as `queued`. */
const statesOf = (wanted: SmsStatus): DeliveryState[] =>
  wanted === 'queued' ? ['queued', 'submitting'] : [wanted];

/**
 * The messages with a delivery in a failed status, newest first. A loose index scan from message to message, so that neither
 * a message with a thousand such deliveries nor a thousand messages without one cost more.
 */
const messagesInStatus = (query: MessageQuery): Sql =>
  distinctKeys(
    'matching_message',
    ['message_id'],
    sql`delivery WHERE ${inRange(sql`message_id`, query)} AND state = ${query.status}::delivery_state AND ${isFailed}
      AND message_id IS NOT NULL`,
    'DESC',
  );
