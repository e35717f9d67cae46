import {
  channels,
  type IdRange,
  messageCategories,
  type MessageCategory,
  type SmsStatus,
} from '@gangan/contracts';
import { type Channel, type DeliveryState, type Sql, sql, statement, t } from '@gangan/database';
import { maxId } from '@gangan/protocol';

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

/** With several filters, at most this many messages that match one of them are compared, newest first. */
const maxCompared = 10_000;

const anyQuery: MessageQuery = { organisationId: maxId, from: maxId, before: maxId };
const [status, recipient, externalRef] = ['failed', '+2348031234567', 'order-17'] as const;

/** One query for each way in which messages are found. */
export const sampleQueries: readonly MessageQuery[] = [
  {},
  { status },
  { status: 'queued' as const },
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

/** Whether one index is not enough to find the messages. */
export const hasSeveralFilters = (query: MessageQuery): boolean =>
  [query.status, query.recipient, query.externalRef, query.channel ?? query.category].filter(
    (filter) => filter !== undefined,
  ).length > 1;

/** Parts of a WITH RECURSIVE clause; the last one, `found`, has the ids of the messages, newest first. */
export function foundMessages(query: MessageQuery, limit: number, offset: number): Sql {
  const size = sql`LIMIT ${limit} OFFSET ${offset}`;
  if (!hasSeveralFilters(query))
    return sql`${candidates(query, limit + offset)}, found (id) AS (
      SELECT id FROM candidate ${size})`;
  return sql`${candidates(query, undefined)}, found (id) AS (
      SELECT candidate.id FROM candidate
      CROSS JOIN LATERAL (SELECT FROM message WHERE id = candidate.id ${messageConditions(query)} LIMIT 1) AS shown
      ${deliveryCondition(query)}
      ORDER BY candidate.id DESC ${size})`;
}

/** The last message that is compared with several filters, if there may be more behind it. */
export const findLastCompared = statement(
  { id: t.uuid },
  (query: MessageQuery) => sql`
    WITH RECURSIVE ${candidates(query, maxCompared)}
    SELECT id FROM candidate LIMIT 1 OFFSET ${maxCompared - 1}`,
  { samples: sampleQueries.map((query) => [query]) },
);

/** `candidate`: the messages that match the most selective filter, newest first. OFFSET 0 keeps the planner to its index. */
function candidates(query: MessageQuery, size: number | undefined): Sql {
  const end = size === undefined ? sql`OFFSET 0` : sql`LIMIT ${size}`;
  const named = (select: Sql): Sql => sql`candidate (id) AS (${select})`;
  const messages = (condition: Sql): Sql =>
    sql`SELECT id FROM message WHERE ${inRange(sql`id`, query)} ${condition} ORDER BY id DESC ${end}`;
  if (query.externalRef !== undefined)
    return named(messages(sql`AND external_ref = ${query.externalRef} AND external_ref IS NOT NULL`));
  if (query.recipient !== undefined)
    return named(sql`
      SELECT message_id FROM delivery
      WHERE ${inRange(sql`message_id`, query)} AND recipient = ${query.recipient} AND message_id IS NOT NULL
      ORDER BY message_id DESC ${end}`);
  if (query.status !== undefined)
    return sql`${messagesInStatus(query.status, query)},
      ${named(sql`SELECT id FROM matching_message WHERE id IS NOT NULL ${end}`)}`;
  const [first, ...others] = rangesOf(query);
  if (!first) return named(messages(sql``));
  const ranges = others.reduce(
    (all, range) => sql`${all} UNION ALL (${messages(range)})`,
    sql`(${messages(first)})`,
  );
  return named(sql`SELECT id FROM (${ranges}) AS range ORDER BY id DESC ${end}`);
}

const inRange = (id: Sql, { organisationId, from, before }: MessageQuery): Sql =>
  sql`organisation_id = ${organisationId} AND ${id} < ${before}::uuid AND ${id} >= ${from}::uuid`;

/** The ranges of the index by channel and category; none if all messages are asked for. */
function rangesOf({ channel, category }: MessageQuery): Sql[] {
  if (channel === undefined && category === undefined) return [];
  // Messages of earlier versions have no category.
  const ofCategories =
    category === undefined
      ? [...messageCategories.map((one) => sql`category = ${one}`), sql`category IS NULL`]
      : [sql`category = ${category}`];
  return (channel === undefined ? channels : [channel]).flatMap((one) =>
    ofCategories.map((ofCategory) => sql`AND channel = ${one}::channel AND ${ofCategory}`),
  );
}

const messageConditions = ({ channel, category }: MessageQuery): Sql => sql`
  ${channel === undefined ? sql`` : sql`AND channel = ${channel}::channel`}
  ${category === undefined ? sql`` : sql`AND category = ${category}`}`;

/**
 * Whether a delivery of the candidate matches. A range of one id, because with an equality the planner may prefer the index
 * on message_id alone, which reads all deliveries of a large message.
 */
function deliveryCondition(query: MessageQuery): Sql {
  const { organisationId, externalRef: ref, recipient: number, status: wanted } = query;
  if (ref === undefined && (number === undefined || wanted === undefined)) return sql``;
  if (number === undefined && wanted === undefined) return sql``;
  const exists = (condition: Sql): Sql => sql`(
    SELECT true FROM delivery
    WHERE organisation_id = ${organisationId} AND ${condition}
      AND message_id >= candidate.id AND message_id <= candidate.id AND message_id IS NOT NULL LIMIT 1)`;
  const states = wanted && statesOf(wanted);
  if (number !== undefined) {
    const inState = states ? sql`AND state = ANY (${states}::delivery_state[])` : sql``;
    return sql`CROSS JOIN LATERAL ${exists(sql`recipient = ${number} ${inState}`)} AS matching`;
  }
  const [first = sql``, second] = (states ?? []).map((state) =>
    exists(sql`state = ${state}::delivery_state`),
  );
  return sql`CROSS JOIN LATERAL ${second ? sql`(${first} UNION ALL ${second} LIMIT 1)` : first} AS matching`;
}

/** `submitting` is internal and shown as `queued`. */
const statesOf = (wanted: SmsStatus): DeliveryState[] =>
  wanted === 'queued' ? ['queued', 'submitting'] : [wanted];

/**
 * The messages with a delivery in this status, newest first. A loose index scan from message to message, so that neither a
 * message with a thousand such deliveries nor a thousand messages without one cost more.
 */
const messagesInStatus = (wanted: SmsStatus, range: MessageQuery): Sql => sql`
  matching_message (id) AS (
    SELECT ${newestInStatus(wanted, range, sql`${range.before}::uuid`)}
    UNION ALL
    SELECT ${newestInStatus(wanted, range, sql`matching_message.id`)}
    FROM matching_message WHERE matching_message.id IS NOT NULL)`;

function newestInStatus(wanted: SmsStatus, { organisationId, from }: MessageQuery, before: Sql): Sql {
  const newest = (state: DeliveryState): Sql => sql`(
    SELECT message_id FROM delivery
    WHERE organisation_id = ${organisationId} AND state = ${state}::delivery_state AND message_id IS NOT NULL
      AND message_id < ${before} AND message_id >= ${from}::uuid
    ORDER BY message_id DESC LIMIT 1)`;
  const [first, second] = statesOf(wanted).map(newest);
  return second ? sql`greatest(${first}, ${second})` : (first ?? sql`NULL`);
}
