import { command, distinctKeys, sql } from '@gangan/database';
import { dueAfter, isAlive, type Lease, leaseUntil } from '@gangan/leases';
import { attemptStartedAt } from '../outcome/apply-transitions.js';

/**
 * After the death of a worker, suspects wait for this time. Workers that die in quick succession have another cause,
 * such as a machine that restarts: it must not be counted against the delivery that a worker happened to try.
 */
const suspectDelayMs = 10_000;

/** A suspect. Must match the condition of `delivery_suspect_idx`. */
export const isSuspect = sql`worker_deaths > 0 AND state = 'submitting'`;

/**
 * Releases the leases of a worker that has ended. Its deliveries are due when no submission can be in flight any more: it
 * may have confirmed claims of SMS until now, and never those of OTPs. If it has died, they are suspects: one of them may be
 * the cause.
 *
 * Finds the leases by the index of due deliveries: the traffic classes and organisations one by one, then deliveries whose
 * lease may run. Neither a backlog, which is overdue, nor later retries are read.
 */
export const takeOverLeases = command(
  ({ holder, leaseMs }: Lease, inFlightMs: number, hasDied: boolean) => sql`
    WITH RECURSIVE
    ${distinctKeys('organisations', ['lane', 'organisation_id'], sql`delivery WHERE state IN ('queued', 'submitting')`)},
    held AS MATERIALIZED (
      SELECT held.* FROM organisations CROSS JOIN LATERAL (
        SELECT id, attempt, provider, ${attemptStartedAt(leaseMs)} AS started_at FROM delivery
        WHERE lane = organisations.lane AND organisation_id = organisations.organisation_id
          AND state IN ('queued', 'submitting')
          AND next_attempt_at > now() AND next_attempt_at <= ${leaseUntil(leaseMs)} AND lease_holder = ${holder}
        ORDER BY id FOR UPDATE) held
    ), unanswered AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, started_at)
      SELECT id, attempt, provider, started_at FROM held ON CONFLICT DO NOTHING)
    UPDATE delivery SET lease_holder = NULL, worker_deaths = worker_deaths + ${hasDied ? 1 : 0}::int,
      next_attempt_at = greatest(${dueAfter(hasDied ? suspectDelayMs : 0)},
        CASE lane WHEN 'otp' THEN next_attempt_at - ${leaseMs - inFlightMs}::float8 * interval '1 millisecond'
          ELSE ${dueAfter(inFlightMs)} END)
    WHERE id = ANY (ARRAY(SELECT id FROM held))`,
  { samples: [[{ holder: 0n, leaseMs: 4 }, 2, true]] },
);

/** Lets the suspects of earlier deaths wait too; those that a worker is trying are left out. */
export const postponeSuspects = command(
  () => sql`
    UPDATE delivery SET next_attempt_at = ${dueAfter(suspectDelayMs)} WHERE id = ANY (ARRAY(
      SELECT id FROM delivery WHERE ${isSuspect} AND lane IN ('otp', 'sms')
        AND next_attempt_at < ${dueAfter(suspectDelayMs)} AND lease_holder IS NULL
      ORDER BY id FOR UPDATE SKIP LOCKED))`,
);

/**
 * Releases leases that have expired. If the worker that held one writes heartbeats, it has lost a result; otherwise it died
 * before it could be taken over, and the delivery is a suspect.
 */
export const releaseExpiredLeases = command(
  (ids: readonly string[], own: bigint, leaseMs: number) => sql`
    WITH expired AS MATERIALIZED (
      SELECT due.id, still.* FROM unnest(${ids}::uuid[]) AS due (id) CROSS JOIN LATERAL (
        SELECT attempt, provider, ${attemptStartedAt(leaseMs)} AS started_at,
          lease_holder <> ${own} AND NOT ${isAlive(sql`delivery.lease_holder`)} AS has_died
        FROM delivery WHERE id = due.id AND state::text = 'submitting' AND next_attempt_at <= now()
          AND lease_holder IS NOT NULL
        LIMIT 1 FOR UPDATE SKIP LOCKED) still
    ), unanswered AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, started_at)
      SELECT id, attempt, provider, started_at FROM expired WHERE provider IS NOT NULL ON CONFLICT DO NOTHING)
    UPDATE delivery SET lease_holder = NULL, worker_deaths = worker_deaths + expired.has_died::int,
      next_attempt_at = CASE WHEN expired.has_died THEN ${dueAfter(suspectDelayMs)} ELSE next_attempt_at END
    FROM expired WHERE delivery.id = ANY (${ids}::uuid[]) AND delivery.id = expired.id`,
);
