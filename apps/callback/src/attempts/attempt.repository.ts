import { Database, type RowOf, sql, statement, StatementLoader, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { AttemptResult, Outcome } from './outcome.js';

/** A circuit opens after this many failures in a row, for `firstMs`, doubled by each further failure up to `maxMs`. */
export const breaker = { failures: 5, firstMs: 5_000, maxMs: 300_000 } as const;

/** A secret of an organisation: sealed, in hexadecimal digits, or in plain text, as earlier versions stored it. */
export interface StoredSecret {
  readonly id: string;
  readonly sealed: string | null;
  readonly plain: string | null;
}

/** The weight of the newest response time of a host in its moving average. */
const responseTimeWeight = 0.3;

export const claimedShape = {
  id: t.uuid,
  organisationId: t.uuid,
  host: t.text,
  url: t.text,
  body: t.text,
  requestId: t.text,
  attempt: t.int,
  /** The number of attempts before the last resend. */
  earlierAttempts: t.int,
  /** The active secrets of the organisation, the newest first. */
  secrets: t.json<readonly StoredSecret[]>(),
};

/** A callback that a worker delivers. Its result counts only while the row still has the same `attempt`. */
export type ClaimedCallback = RowOf<{ shape: typeof claimedShape }>;

export interface EndedAttempt {
  readonly callback: ClaimedCallback;
  readonly result: AttemptResult;
  readonly outcome: Outcome;
  /** Used instead if a resend was requested during the attempt: then this attempt is the first of the new schedule. */
  readonly outcomeAsFirst: Outcome;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** Stores the attempt, the state of the callback and the state of its host. Returns nothing if the claim was lost. */
const endAttempt = statement(
  {
    state: t.enumOf<Outcome['state']>('callback_state'),
    failures: t.int,
    /** This attempt opened the circuit of the host. */
    opened: t.bool,
  },
  ({ callback, result, outcome, outcomeAsFirst, startedAt, endedAt }: EndedAttempt) => {
    const response = result.outcome === 'answered' ? result : undefined;
    const error = result.outcome === 'failed' ? result.reason : null;
    const { state, retryInMs = null, hostWorks } = outcome;
    const accepted = state === 'delivered' || state === 'gone';
    // The clock may have been set back during the attempt.
    const tookMs = Math.max(0, endedAt.getTime() - startedAt.getTime());
    return sql`
      WITH claimed AS (
        SELECT found.id,
          CASE WHEN found.sent_again THEN ${outcomeAsFirst.state} ELSE ${state} END AS state,
          CASE WHEN found.sent_again THEN ${outcomeAsFirst.retryInMs ?? null}::int ELSE ${retryInMs}::int END AS retry_in_ms
        FROM (
          SELECT id, attempt, leased_until, earlier_attempts <> ${callback.earlierAttempts} AS sent_again
          FROM callback WHERE id = ${callback.id} LIMIT 1 FOR UPDATE) AS found
        WHERE found.attempt = ${callback.attempt} AND found.leased_until IS NOT NULL
      ), ended AS (
        UPDATE callback SET state = (SELECT claimed.state FROM claimed)::callback_state, leased_until = NULL,
          lease_holder = NULL,
          next_attempt_at = now() + (SELECT claimed.retry_in_ms FROM claimed) * interval '1 millisecond',
          ended_at = CASE WHEN (SELECT claimed.state FROM claimed) <> 'pending' THEN now() END
        WHERE id = (SELECT claimed.id FROM claimed)
        RETURNING id, attempt, organisation_id, host, state
      ), stored AS (
        INSERT INTO callback_attempt (callback_id, attempt, status, error, answer, started_at, ended_at)
        SELECT id, attempt, ${response?.status ?? null}::int, ${error}::text, ${response?.body ?? null}::bytea,
          ${startedAt}::timestamptz, ${endedAt}::timestamptz
        FROM ended ON CONFLICT (callback_id, attempt) DO NOTHING
      ), earlier AS (
        SELECT failures FROM callback_host
        WHERE organisation_id = ${callback.organisationId} AND host = ${callback.host}
      )
      INSERT INTO callback_host AS known (organisation_id, host, pace_ms, failures, failing_since)
      SELECT organisation_id, host, ${tookMs}::int, ${hostWorks ? 0 : 1}::int,
        CASE WHEN NOT ${accepted} THEN now() END
      FROM ended
      ON CONFLICT (organisation_id, host) DO UPDATE SET
        pace_ms = round(known.pace_ms * (1 - ${responseTimeWeight}::float8)
          + excluded.pace_ms * ${responseTimeWeight}::float8),
        -- Attempts that were in flight when the circuit opened do not count.
        failures = CASE WHEN ${hostWorks} THEN 0 WHEN known.open_until > now() THEN known.failures
          ELSE known.failures + 1 END,
        open_until = CASE WHEN ${hostWorks} THEN NULL WHEN known.open_until > now() THEN known.open_until
          WHEN known.failures + 1 >= ${breaker.failures}::int THEN now() + interval '1 millisecond'
            * least(${breaker.maxMs}::float8,
                ${breaker.firstMs}::float8 * 2 ^ least(known.failures + 1 - ${breaker.failures}::int, 30))
            * (1 + random() / 5) END,
        failing_since = CASE WHEN NOT ${accepted} THEN coalesce(known.failing_since, now()) END,
        reported_at = CASE WHEN NOT ${accepted} THEN known.reported_at END,
        updated_at = now()
      RETURNING (SELECT state FROM ended) AS state, failures,
        failures = ${breaker.failures}::int AND failures > (SELECT failures FROM earlier) AS opened`;
  },
);

@Injectable()
export class AttemptRepository {
  /** Not batched; the loader repeats a statement whose connection broke, so that no result is lost. */
  private readonly endings = new StatementLoader((endings: readonly EndedAttempt[]) =>
    Promise.all(endings.map(async (ending) => (await this.database.run(endAttempt, ending))[0])),
  );

  constructor(private readonly database: Database) {}

  /** `undefined` if another worker has claimed the callback since. */
  endAttempt(ending: EndedAttempt): Promise<RowOf<typeof endAttempt> | undefined> {
    return this.endings.load(ending);
  }
}
