import { type Channel, type OtpOutcome, type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import { hasEndpoints } from '@gangan/callbacks';
import { deliveryFailedAt } from '../otp-record.js';

export interface VerifyAttempt {
  /** The id of the request: if it runs twice, it counts once. */
  readonly id: string;
  readonly otpId: string;
  readonly organisationId: string;
  /** The HTTP request. */
  readonly requestId: string;
  /** The digests of the token, one for each pepper. */
  readonly digests: readonly Buffer[];
  /** Wrong tokens per recipient and hour; 0 means no limit. */
  readonly limit: number;
  /** Wrong tokens per recipient and 24 hours; 0 means no limit. */
  readonly dailyLimit: number;
}

/** Distinguishes the locks of recipients from other advisory locks. */
const lockSeed = 7_305;

/**
 * Locks OTPs and their recipients until the transaction ends: first the rows in the order of their ids, then the
 * recipients in the order of their keys, so that two batches never deadlock. For the transaction it also sets a lock
 * timeout of 200 ms, so that one locked OTP does not block the batch, and disables sequential scans, which cached plans
 * from the time of small tables would use. `otpIds` must be sorted.
 */
export const lockOtps = statement(
  { id: t.uuid, recipient: t.text },
  (otpIds: readonly string[], organisationIds: readonly string[]) => sql`
    WITH locked AS MATERIALIZED (
      SELECT otp.id, otp.organisation_id, otp.recipient
      FROM unnest(${otpIds}::uuid[], ${organisationIds}::uuid[]) AS asked (id, organisation_id)
      CROSS JOIN LATERAL (
        SELECT id, organisation_id, recipient FROM otp
        WHERE otp.id = asked.id AND otp.organisation_id = asked.organisation_id
          AND (SELECT set_config('lock_timeout', '200ms', true)) IS NOT NULL
        LIMIT 1 FOR UPDATE) otp
    ), recipient AS MATERIALIZED (
      SELECT DISTINCT hashtextextended(organisation_id || recipient, ${lockSeed}) AS key FROM locked ORDER BY key
    ), held AS MATERIALIZED (
      SELECT count(pg_advisory_xact_lock(key)::text) AS recipients FROM recipient
    )
    SELECT id, recipient FROM locked CROSS JOIN held`,
);

const at = sql`date_trunc('milliseconds', statement_timestamp())`;
const secondsUntil = (moment: Sql): Sql => sql`greatest(1, ceil(extract(epoch FROM ${moment} - ${at})))::int`;

/**
 * Decides attempts of different recipients, whose OTPs are locked:
 * - `fresh`: attempts that were not decided before, with their OTPs
 * - `decided`: the outcome of each
 * - `counted`: the only place where an OTP is verified or a wrong token counted
 * - `recorded`: the outcome, in case the queue runs the request again
 */
export const decideAttempts = statement(
  {
    id: t.uuid,
    otpId: t.uuid,
    outcome: t.enumOf<OtpOutcome>('otp_outcome'),
    attemptsLeft: t.int,
    retryAfter: t.nullable(t.int),
    repeated: t.bool,
    /** The OTP has ended now, and its organisation has endpoints. */
    isReported: t.bool,
    recipient: t.text,
    recipientGiven: t.text,
    /** The channel of the last message. */
    channel: t.enumOf<Channel>('channel'),
    createdAt: t.timestamp,
    updatedAt: t.nullable(t.timestamp),
  },
  (attempts: readonly VerifyAttempt[]) => sql`
  WITH asked AS MATERIALIZED (
    SELECT id, otp_id, organisation_id, digest, other_digest, cap, daily_cap
    FROM unnest(${attempts.map(({ id }) => id)}::uuid[],
      ${attempts.map(({ otpId }) => otpId)}::uuid[],
      ${attempts.map(({ organisationId }) => organisationId)}::uuid[],
      ${attempts.map(({ digests }) => digests[0] ?? null)}::bytea[],
      ${attempts.map(({ digests }) => digests[1] ?? null)}::bytea[],
      ${attempts.map(({ limit }) => limit)}::int[], ${attempts.map(({ dailyLimit }) => dailyLimit)}::int[])
      AS try (id, otp_id, organisation_id, digest, other_digest, cap, daily_cap)
  ), fresh AS MATERIALIZED (
    SELECT asked.id, otp_id, asked.organisation_id, cap, daily_cap, recipient, recipient_given, channel, status, attempts, max_attempts,
      expires_at, created_at, updated_at, failed_at, coalesce(hmac = digest OR hmac = other_digest, false) AS fits
    FROM asked CROSS JOIN LATERAL (
      SELECT recipient, recipient_given, channel, hmac, status, attempts, max_attempts, expires_at, created_at, updated_at,
        ${deliveryFailedAt} AS failed_at
      FROM otp WHERE otp.id = asked.otp_id AND otp.organisation_id = asked.organisation_id LIMIT 1) otp
    WHERE (SELECT id FROM otp_verification WHERE otp_verification.id = asked.id) IS NULL
  ), decided AS MATERIALIZED (
    SELECT fresh.id, otp_id, organisation_id, recipient, recipient_given, channel, created_at, updated_at, expires_at,
      attempts, max_attempts, wrong.capped_until,
      CASE WHEN status = 2 THEN 'already_verified'
           WHEN status = 5 THEN 'revoked'
           WHEN status = 4 AND attempts >= max_attempts THEN 'ended'
           WHEN status = 4 OR failed_at IS NOT NULL THEN 'undeliverable'
           WHEN status = 3 OR expires_at <= ${at} THEN 'expired'
           WHEN wrong.capped_until IS NOT NULL THEN 'capped'
           WHEN fits THEN 'verified'
           WHEN attempts + 1 >= max_attempts THEN 'exhausted'
           ELSE 'mismatch' END::otp_outcome AS outcome
    FROM fresh CROSS JOIN LATERAL (
      SELECT greatest(
        (array_agg(tried.created_at ORDER BY tried.created_at DESC)
          FILTER (WHERE tried.created_at > ${at} - interval '1 hour'))[cap] + interval '1 hour',
        (array_agg(tried.created_at ORDER BY tried.created_at DESC))[daily_cap] + interval '1 day') AS capped_until
      FROM otp_verification tried
      WHERE tried.organisation_id = fresh.organisation_id AND tried.recipient = fresh.recipient
        AND tried.created_at > ${at} - interval '1 day' AND tried.outcome IN ('mismatch', 'exhausted')
        AND (cap > 0 OR daily_cap > 0)) wrong
  ), counted AS (
    UPDATE otp SET
      attempts = otp.attempts + CASE outcome WHEN 'verified' THEN 0 ELSE 1 END,
      status = CASE outcome WHEN 'verified' THEN 2 WHEN 'exhausted' THEN 4 ELSE otp.status END,
      updated_at = CASE outcome WHEN 'mismatch' THEN otp.updated_at ELSE ${at} END
    FROM decided
    WHERE otp.id = ANY (${attempts.map(({ otpId }) => otpId)}::uuid[]) AND otp.id = decided.otp_id AND otp.status = 1 AND outcome IN ('verified', 'mismatch', 'exhausted')
  ), result AS MATERIALIZED (
    SELECT id, otp_id, organisation_id, recipient, recipient_given, channel, outcome, created_at,
      CASE WHEN outcome IN ('verified', 'exhausted') THEN ${at} ELSE updated_at END AS updated_at,
      max_attempts - attempts - CASE WHEN outcome IN ('mismatch', 'exhausted') THEN 1 ELSE 0 END AS attempts_left,
      CASE WHEN outcome = 'capped' THEN ${secondsUntil(sql`capped_until`)}
           WHEN outcome IN ('exhausted', 'ended') THEN ${secondsUntil(sql`expires_at`)} END AS retry_after
    FROM decided
  ), recorded AS (
    INSERT INTO otp_verification (id, otp_id, organisation_id, recipient, outcome, attempts_left, retry_after, created_at)
    SELECT id, otp_id, organisation_id, recipient, outcome, attempts_left, retry_after, ${at} FROM result
  )
  SELECT id, otp_id AS "otpId", outcome, attempts_left AS "attemptsLeft", retry_after AS "retryAfter", false AS repeated,
    CASE WHEN outcome IN ('verified', 'exhausted') THEN ${hasEndpoints(sql`result.organisation_id`)} ELSE false END
      AS "isReported",
    recipient, recipient_given AS "recipientGiven", channel, created_at AS "createdAt", updated_at AS "updatedAt"
  FROM result
  UNION ALL
  SELECT asked.id, asked.otp_id, earlier.outcome, earlier.attempts_left, earlier.retry_after, true, false,
    otp.recipient, otp.recipient_given, otp.channel, otp.created_at, otp.updated_at
  FROM asked
  CROSS JOIN LATERAL (
    SELECT outcome, attempts_left, retry_after FROM otp_verification
    WHERE otp_verification.id = asked.id AND otp_verification.organisation_id = asked.organisation_id LIMIT 1) earlier
  CROSS JOIN LATERAL (
    SELECT recipient, recipient_given, channel, created_at, updated_at FROM otp WHERE otp.id = asked.otp_id LIMIT 1) otp`,
  { samples: [[[]]] },
);

/** The outcome of one attempt, from this run or an earlier one. */
export type VerifyResult = RowOf<typeof decideAttempts>;
