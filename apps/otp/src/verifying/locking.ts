import { type Sql, sql } from '@gangan/database';
import type { Try } from './try.js';

/** Tells the locks of recipients from other advisory locks. */
const lockSeed = 7_305;

/**
 * Holds the OTPs and their recipients until the transaction ends: first the rows in the order of their ids, then the
 * recipients in the order of their keys, so that no two batches wait for each other. It also settles for the
 * transaction that nothing is waited for longer than 200 ms, so that one OTP that is held does not hold a batch; and
 * that nothing is scanned, as plans are kept from when the tables were small.
 */
export function locking(tries: readonly Try[]): Sql {
  const pairs = new Map(
    tries.map(({ otpId, organisationId }) => [otpId + organisationId, { otpId, organisationId }]),
  );
  const sorted = [...pairs.values()].sort((one, other) => (one.otpId < other.otpId ? -1 : 1));
  return sql`
    WITH locked AS MATERIALIZED (
      SELECT otp.id, otp.organisation_id, otp.recipient
      FROM unnest(${sorted.map(({ otpId }) => otpId)}::uuid[],
        ${sorted.map(({ organisationId }) => organisationId)}::uuid[]) AS asked (id, organisation_id)
      CROSS JOIN LATERAL (
        SELECT id, organisation_id, recipient FROM otp
        WHERE otp.id = asked.id AND otp.organisation_id = asked.organisation_id
          AND (SELECT set_config('lock_timeout', '200ms', true) || set_config('enable_seqscan', 'off', true)) IS NOT NULL
        LIMIT 1 FOR UPDATE) otp
    ), recipient AS MATERIALIZED (
      SELECT DISTINCT hashtextextended(organisation_id || recipient, ${lockSeed}) AS key FROM locked ORDER BY key
    ), held AS MATERIALIZED (
      SELECT count(pg_advisory_xact_lock(key)::text) AS recipients FROM recipient
    )
    SELECT id, recipient FROM locked CROSS JOIN held`;
}
