import { type Sql, sql } from '@gangan/database';
import type { Order } from './order.js';

/** How long the event of a new delivery has, before it is looked for as overdue. */
const eventGrace = sql`interval '5 seconds'`;

/** Goes with the charge: the OTP, its delivery, and what the organisation has spent today. */
export const placing = (orders: readonly Order[]): Sql => sql`
  ordered AS (
    SELECT id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, seconds, sealed_body, pages,
      request_id, created_at
    FROM unnest(${orders.map(({ id }) => id)}::uuid[],
      ${orders.map(({ organisationId }) => organisationId)}::uuid[],
      ${orders.map(({ recipient }) => recipient)}::text[],
      ${orders.map(({ recipientGiven }) => recipientGiven)}::text[],
      ${orders.map(({ channel }) => channel)}::channel[],
      ${orders.map(({ digest }) => digest)}::bytea[],
      ${orders.map(({ maxAttempts }) => maxAttempts)}::int[],
      ${orders.map(({ seconds }) => seconds)}::float8[],
      ${orders.map(({ sealedBody }) => sealedBody)}::bytea[],
      ${orders.map(({ pages }) => pages)}::int[],
      ${orders.map(({ requestId }) => requestId)}::text[],
      ${orders.map(({ createdAt }) => createdAt)}::timestamptz[])
      AS order_ (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, seconds, sealed_body,
        pages, request_id, created_at)
  ), stored AS (
    INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at,
      charge_kobo, request_id, created_at)
    SELECT id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts,
      now() + seconds * interval '1 second', accepted.kobo, request_id, created_at
    FROM ordered JOIN accepted ON accepted.subject_id = ordered.id
    ON CONFLICT DO NOTHING RETURNING id, organisation_id, charge_kobo
  ), handed_over AS (
    INSERT INTO delivery (id, organisation_id, lane, otp_id, channel, recipient, recipient_given, next_attempt_at,
      sealed_body, pages, charge_kobo, created_at)
    SELECT id, ordered.organisation_id, 'otp', id, channel, recipient, recipient_given, now() + ${eventGrace},
      sealed_body, pages, charge_kobo, created_at
    FROM ordered JOIN stored USING (id)
    ON CONFLICT DO NOTHING
  ), spent AS (
    INSERT INTO otp_spend (organisation_id, day, kobo)
    SELECT organisation_id, (now() AT TIME ZONE 'UTC')::date, sum(charge_kobo) FROM stored GROUP BY organisation_id
    ON CONFLICT (organisation_id, day) DO UPDATE SET kobo = otp_spend.kobo + excluded.kobo
  )`;
