import { Database, retryTransient, type RowOf, sql, sqlFailure, statement, t } from '@gangan/database';
import { KeyedBatcher } from '@gangan/leases';
import { runWithoutContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { type AttemptResult, isEndpointOff, type Outcome } from './outcome.js';

/** A circuit opens after this many failures in a row, for `firstMs`, doubled by each further failure up to `maxMs`. */
export const breaker = { failures: 5, firstMs: 5_000, maxMs: 300_000 } as const;

/** A secret of an organisation or an endpoint: sealed, in hexadecimal digits, or in plain text, as earlier versions stored it. */
export interface StoredSecret {
  readonly id: string;
  readonly sealed: string | null;
  readonly plain: string | null;
}

const maxAttempts = 4;

/** The weight of the newest response time of a host in its moving average. */
const responseTimeWeight = 0.3;

export const claimedShape = {
  id: t.uuid,
  organisationId: t.uuid,
  host: t.text,
  url: t.text,
  body: t.text,
  /** The whole body, if it is sealed. */
  sealedBody: t.nullable(t.bytes),
  requestId: t.text,
  attempt: t.int,
  /** The number of attempts before the last resend. */
  earlierAttempts: t.int,
  endpointId: t.nullable(t.uuid),
  /** The endpoint is disabled or deleted. */
  isEndpointOff: t.bool,
  /** The callbacks of the organisation are restricted. */
  isRestricted: t.bool,
  /** The active secrets of the endpoint or the organisation, the newest first. */
  secrets: t.json<readonly StoredSecret[]>(),
};

/** A callback that a worker delivers. Its result counts only while the row still has the same `attempt`. */
export type ClaimedCallback = RowOf<{ shape: typeof claimedShape }>;

export interface EndedAttempt {
  readonly callback: ClaimedCallback;
  readonly result: AttemptResult;
  readonly outcome: Outcome;
  /** The outcome if a resend was requested during the attempt, which is then the first of the new schedule. */
  readonly outcomeAsFirst: Outcome;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** An attempt that was not made does not count against the host. */
const isAccepted = ({ outcome: { state }, result }: EndedAttempt): boolean =>
  state === 'delivered' || state === 'gone' || isEndpointOff(result);

/**
 * Stores attempts and the states of their callbacks and hosts. Returns nothing for a lost claim. An attempt that was not
 * made leaves its host as it is. A statement has at most one failure of a host, because each counts; its successes count
 * as one. Callbacks are locked before hosts and each in one order, so that workers do not deadlock.
 */
const endAttempts = statement(
  {
    id: t.uuid,
    attempt: t.int,
    state: t.enumOf<Outcome['state']>('callback_state'),
    failures: t.int,
    /** Whether this attempt opened the circuit of the host. */
    opened: t.bool,
  },
  (endings: readonly EndedAttempt[]) => sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(${endings.map(({ callback }) => callback.id)}::uuid[],
        ${endings.map(({ callback }) => callback.attempt)}::int[],
        ${endings.map(({ callback }) => callback.earlierAttempts)}::int[],
        ${endings.map(({ outcome }) => outcome.state)}::text[],
        ${endings.map(({ outcome }) => outcome.retryInMs ?? null)}::int[],
        ${endings.map(({ outcomeAsFirst }) => outcomeAsFirst.state)}::text[],
        ${endings.map(({ outcomeAsFirst }) => outcomeAsFirst.retryInMs ?? null)}::int[],
        ${endings.map(({ outcome }) => outcome.hostWorks)}::bool[],
        ${endings.map(isAccepted)}::bool[],
        ${endings.map(({ result }) => !isEndpointOff(result))}::bool[],
        ${endings.map(({ result }) => (result.outcome === 'answered' ? result.status : null))}::int[],
        ${endings.map(({ result }) => (result.outcome === 'failed' ? result.reason : null))}::text[],
        ${endings.map(({ result }) => (result.outcome === 'answered' ? result.body : null))}::bytea[],
        ${endings.map(({ startedAt }) => startedAt)}::timestamptz[],
        ${endings.map(({ endedAt }) => endedAt)}::timestamptz[])
      AS given (id, attempt, earlier_attempts, state, retry_in_ms, state_as_first, retry_in_ms_as_first, host_works,
        accepted, made, status, error, answer, started_at, ended_at)
    ), locked AS MATERIALIZED (
      SELECT found.* FROM (SELECT DISTINCT id FROM given ORDER BY id) AS wanted CROSS JOIN LATERAL (
        SELECT id, attempt, leased_until, earlier_attempts FROM callback
        WHERE id = wanted.id LIMIT 1 FOR UPDATE) AS found
    ), claimed AS MATERIALIZED (
      SELECT given.*, locked.earlier_attempts <> given.earlier_attempts AS sent_again
      FROM given JOIN locked USING (id)
      WHERE locked.attempt = given.attempt AND locked.leased_until IS NOT NULL
    ), ended AS (
      UPDATE callback SET leased_until = NULL, lease_holder = NULL,
        state = (CASE WHEN sent_again THEN claimed.state_as_first ELSE claimed.state END)::callback_state,
        -- The URL of the endpoint may have changed during the attempt.
        host = coalesce((SELECT endpoint.host FROM callback_endpoint AS endpoint
          WHERE endpoint.id = callback.endpoint_id AND claimed.state = 'pending'), host),
        next_attempt_at = now() + interval '1 millisecond'
          * CASE WHEN sent_again THEN retry_in_ms_as_first ELSE retry_in_ms END,
        ended_at = CASE WHEN CASE WHEN sent_again THEN claimed.state_as_first ELSE claimed.state END <> 'pending'
          THEN now() END
      FROM claimed WHERE callback.id = ANY (${endings.map(({ callback }) => callback.id)}::uuid[])
        AND callback.id = claimed.id
      RETURNING callback.id, callback.attempt, organisation_id, old.host, callback.state
    ), stored AS (
      INSERT INTO callback_attempt (callback_id, attempt, status, error, answer, started_at, ended_at)
      SELECT id, attempt, status, error, answer, started_at, ended_at FROM claimed
      ON CONFLICT (callback_id, attempt) DO NOTHING
    ), hosts AS (
      INSERT INTO callback_host AS known (organisation_id, host, pace_ms, failures, failing_since)
      SELECT organisation_id, host,
        -- The clock may have been set back during an attempt.
        greatest(0, round(avg(extract(epoch FROM claimed.ended_at - started_at)) * 1000))::int,
        CASE WHEN bool_and(host_works) THEN 0 ELSE 1 END, CASE WHEN NOT bool_and(accepted) THEN now() END
      FROM ended JOIN claimed USING (id) WHERE made GROUP BY organisation_id, host ORDER BY organisation_id, host
      ON CONFLICT (organisation_id, host) DO UPDATE SET
        pace_ms = round(known.pace_ms * (1 - ${responseTimeWeight}::float8)
          + excluded.pace_ms * ${responseTimeWeight}::float8),
        -- Attempts that were in flight when the circuit opened do not count.
        failures = CASE WHEN excluded.failures = 0 THEN 0 WHEN known.open_until > now() THEN known.failures
          ELSE known.failures + 1 END,
        open_until = CASE WHEN excluded.failures = 0 THEN NULL WHEN known.open_until > now() THEN known.open_until
          WHEN known.failures + 1 >= ${breaker.failures}::int THEN now() + interval '1 millisecond'
            * least(${breaker.maxMs}::float8,
                ${breaker.firstMs}::float8 * 2 ^ least(known.failures + 1 - ${breaker.failures}::int, 30))
            * (1 + random() / 5) END,
        failing_since = CASE WHEN excluded.failing_since IS NOT NULL THEN coalesce(known.failing_since, now()) END,
        reported_at = CASE WHEN excluded.failing_since IS NOT NULL THEN known.reported_at END,
        updated_at = now()
      RETURNING organisation_id, host, known.failures, coalesce(old.failures, 0) AS failures_before
    )
    SELECT ended.id, ended.attempt, ended.state, coalesce(hosts.failures, 0) AS failures,
      coalesce(hosts.failures = ${breaker.failures}::int AND hosts.failures_before < hosts.failures, false) AS opened
    FROM ended LEFT JOIN hosts USING (organisation_id, host)`,
);

type EndedRow = RowOf<typeof endAttempts>;

/** The endings of each statement: all accepted ones share the first; each failure of a host counts, so it needs its own. */
function splitByStatement(endings: readonly EndedAttempt[]): EndedAttempt[][] {
  const accepted = endings.filter(isAccepted);
  const failures: EndedAttempt[][] = [];
  const counts = new Map<string, number>();
  for (const ending of endings) {
    if (isAccepted(ending)) continue;
    const host = `${ending.callback.organisationId} ${ending.callback.host}`;
    const index = counts.get(host) ?? 0;
    counts.set(host, index + 1);
    (failures[index] ??= []).push(ending);
  }
  return accepted.length > 0 ? [accepted, ...failures] : failures;
}

@Injectable()
export class AttemptRepository {
  /** Two statements at a time, so that one that waits for a lock does not block the others. */
  private readonly endings = new KeyedBatcher<EndedAttempt, EndedRow | undefined>({
    keyOf: () => '',
    run: (endings) => runWithoutContext(() => this.store(endings)),
    concernsAll: (error) => sqlFailure(error) !== 'data',
    maxBatch: Infinity,
    gathersTurn: true,
    concurrency: 2,
    pauseMs: 25,
  });

  constructor(private readonly database: Database) {}

  /** `undefined` if another worker has claimed the callback since. Attempts that end at the same time share statements. */
  endAttempt(ending: EndedAttempt): Promise<EndedRow | undefined> {
    return this.endings.add(ending);
  }

  private async store(endings: readonly EndedAttempt[]) {
    const results = new Map<EndedAttempt, EndedRow | Error>();
    await Promise.all(
      splitByStatement(endings).map(async (part) => {
        try {
          // Each part is repeated alone: one that was stored would look like a lost claim.
          const rows = await retryTransient(() => this.database.run(endAttempts, part), { maxAttempts });
          for (const ending of part) {
            const { id, attempt } = ending.callback;
            const row = rows.find((each) => each.id === id && each.attempt === attempt);
            if (row) results.set(ending, row);
          }
        } catch (error) {
          // Each ending then runs alone.
          if (sqlFailure(error) === 'data') throw error;
          for (const ending of part) results.set(ending, error as Error);
        }
      }),
    );
    return endings.map((ending) => results.get(ending));
  }
}
