import { type Sql, sql } from '@gangan/database';
import { givenUpAt } from '../given-up.js';
import type { Try } from './try.js';

const at = sql`date_trunc('milliseconds', statement_timestamp())`;
const secondsUntil = (moment: Sql): Sql => sql`greatest(1, ceil(extract(epoch FROM ${moment} - ${at})))::int`;

/**
 * Decides about tries of different recipients, whose OTPs are locked. Its parts in order:
 * - `fresh`: the tries that were not decided before, with their OTPs as they are
 * - `decided`: what each comes to
 * - `counted`: the one place where an OTP is verified, or a wrong try counted
 * - `recorded`: the answer, should the queue run the request again
 */
export const deciding = (tries: readonly Try[]): Sql => sql`
  WITH asked AS MATERIALIZED (
    SELECT id, otp_id, organisation_id, digest, other_digest, cap
    FROM unnest(${tries.map(({ id }) => id)}::uuid[],
      ${tries.map(({ otpId }) => otpId)}::uuid[],
      ${tries.map(({ organisationId }) => organisationId)}::uuid[],
      ${tries.map(({ digests }) => digests[0] ?? null)}::bytea[],
      ${tries.map(({ digests }) => digests[1] ?? null)}::bytea[],
      ${tries.map(({ cap }) => cap)}::int[]) AS try (id, otp_id, organisation_id, digest, other_digest, cap)
  ), fresh AS MATERIALIZED (
    SELECT asked.id, otp_id, asked.organisation_id, cap, recipient, recipient_given, status, attempts, max_attempts,
      expires_at, created_at, updated_at, given_up_at, coalesce(hmac = digest OR hmac = other_digest, false) AS fits
    FROM asked CROSS JOIN LATERAL (
      SELECT recipient, recipient_given, hmac, status, attempts, max_attempts, expires_at, created_at, updated_at,
        ${givenUpAt} AS given_up_at
      FROM otp WHERE otp.id = asked.otp_id AND otp.organisation_id = asked.organisation_id LIMIT 1) otp
    WHERE NOT EXISTS (SELECT FROM otp_verification WHERE otp_verification.id = asked.id)
  ), decided AS MATERIALIZED (
    SELECT fresh.id, otp_id, organisation_id, recipient, recipient_given, created_at, updated_at, expires_at,
      attempts, max_attempts, wrong.nth AS capped_since,
      CASE WHEN status = 2 THEN 'already_verified'
           WHEN status = 5 THEN 'revoked'
           WHEN status = 4 AND attempts >= max_attempts THEN 'ended'
           WHEN status = 4 OR given_up_at IS NOT NULL THEN 'undeliverable'
           WHEN status = 3 OR expires_at <= ${at} THEN 'expired'
           WHEN wrong.nth IS NOT NULL THEN 'capped'
           WHEN fits THEN 'verified'
           WHEN attempts + 1 >= max_attempts THEN 'exhausted'
           ELSE 'mismatch' END::otp_outcome AS outcome
    FROM fresh CROSS JOIN LATERAL (
      SELECT (array_agg(tried.created_at ORDER BY tried.created_at DESC))[cap] AS nth FROM otp_verification tried
      WHERE tried.organisation_id = fresh.organisation_id AND tried.recipient = fresh.recipient
        AND tried.created_at > ${at} - interval '1 hour' AND tried.outcome IN ('mismatch', 'exhausted')
        AND cap > 0) wrong
  ), counted AS (
    UPDATE otp SET
      attempts = otp.attempts + CASE outcome WHEN 'verified' THEN 0 ELSE 1 END,
      status = CASE outcome WHEN 'verified' THEN 2 WHEN 'exhausted' THEN 4 ELSE otp.status END,
      updated_at = CASE outcome WHEN 'mismatch' THEN otp.updated_at ELSE ${at} END
    FROM decided
    WHERE otp.id = decided.otp_id AND otp.status = 1 AND outcome IN ('verified', 'mismatch', 'exhausted')
  ), verdict AS MATERIALIZED (
    SELECT id, otp_id, organisation_id, recipient, recipient_given, outcome, created_at,
      CASE outcome WHEN 'verified' THEN ${at} ELSE updated_at END AS updated_at,
      max_attempts - attempts - CASE WHEN outcome IN ('mismatch', 'exhausted') THEN 1 ELSE 0 END AS attempts_left,
      CASE WHEN outcome = 'capped' THEN ${secondsUntil(sql`(capped_since + interval '1 hour')`)}
           WHEN outcome IN ('exhausted', 'ended') THEN ${secondsUntil(sql`expires_at`)} END AS retry_after
    FROM decided
  ), recorded AS (
    INSERT INTO otp_verification (id, otp_id, organisation_id, recipient, outcome, attempts_left, retry_after, created_at)
    SELECT id, otp_id, organisation_id, recipient, outcome, attempts_left, retry_after, ${at} FROM verdict
  )
  SELECT id, otp_id AS "otpId", outcome, attempts_left AS "attemptsLeft", retry_after AS "retryAfter", false AS repeated,
    recipient, recipient_given AS "recipientGiven", created_at AS "createdAt", updated_at AS "updatedAt"
  FROM verdict
  UNION ALL
  SELECT asked.id, asked.otp_id, earlier.outcome, earlier.attempts_left, earlier.retry_after, true,
    otp.recipient, otp.recipient_given, otp.created_at, otp.updated_at
  FROM asked
  CROSS JOIN LATERAL (
    SELECT outcome, attempts_left, retry_after FROM otp_verification
    WHERE otp_verification.id = asked.id AND otp_verification.organisation_id = asked.organisation_id LIMIT 1) earlier
  CROSS JOIN LATERAL (
    SELECT recipient, recipient_given, created_at, updated_at FROM otp WHERE otp.id = asked.otp_id LIMIT 1) otp`;
