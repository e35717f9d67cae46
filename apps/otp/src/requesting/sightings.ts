import { type Sql, sql } from '@gangan/database';
import { type Order, prefixOf } from './order.js';
import { windowSeconds } from './guards.js';

const windowStart = sql`now() - ${windowSeconds}::int * interval '1 second'`;

/** When so many of the newest are left that one more may follow; nothing while there are fewer (`greatest` forgets NULL). */
const waitFor = (nth: Sql): Sql =>
  sql`CASE WHEN ${nth} IS NOT NULL THEN greatest(1, ceil(extract(epoch FROM ${nth} - (${windowStart}))))::int END`;

/** What the caps of orders are held against, in their order. A cap that is off is not looked at. */
export const sightingsOf = (orders: readonly Order[]): Sql => sql`
  SELECT EXISTS (SELECT FROM otp WHERE id = asked.id) AS placed,
    recipients.sent AS "toRecipient", ${waitFor(sql`recipients.nth`)} AS "recipientWait",
    prefixes.sent AS "toPrefix", prefixes.verified AS "verifiedOfPrefix", ${waitFor(sql`prefixes.nth`)} AS "prefixWait",
    coalesce((
      SELECT kobo FROM otp_spend WHERE organisation_id = asked.organisation_id
        AND day = (now() AT TIME ZONE 'UTC')::date), 0) AS "spentKobo",
    ceil(extract(epoch FROM date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day' - (now() AT TIME ZONE 'UTC')))::int
      AS "dayEndsIn"
  FROM unnest(${orders.map(({ id }) => id)}::uuid[],
    ${orders.map(({ organisationId }) => organisationId)}::uuid[],
    ${orders.map(({ recipient }) => recipient)}::text[],
    ${orders.map(prefixOf)}::text[],
    ${orders.map(({ caps }) => caps.sendsPerRecipient)}::int[],
    ${orders.map(({ caps }) => caps.sendsPerPrefix)}::int[])
    WITH ORDINALITY AS asked (id, organisation_id, recipient, prefix, recipient_cap, prefix_cap, place)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS sent, (array_agg(placed_at ORDER BY placed_at DESC))[asked.recipient_cap] AS nth
    FROM otp WHERE organisation_id = asked.organisation_id AND recipient = asked.recipient
      AND placed_at > ${windowStart} AND asked.recipient_cap > 0) recipients
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS sent, count(*) FILTER (WHERE status = 2)::int AS verified,
      (array_agg(placed_at ORDER BY placed_at DESC))[asked.prefix_cap] AS nth
    FROM otp WHERE organisation_id = asked.organisation_id AND left(recipient, -4) = asked.prefix
      AND placed_at > ${windowStart} AND asked.prefix_cap > 0) prefixes
  ORDER BY asked.place`;
