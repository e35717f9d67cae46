import { Database, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Claimed } from './delivery/claimed.js';
import type { Attempted, Verdict } from './delivery/verdict.js';
import { breaker, paceMemory } from './dispatch/isolation.js';

export interface Ending {
  readonly callback: Claimed;
  readonly attempted: Attempted;
  readonly verdict: Verdict;
  /** Instead, if it was sent again by hand meanwhile: its schedule began anew with this attempt. */
  readonly verdictOfFirst: Verdict;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** What became of the callback, and what is known of its host, after an attempt. */
export interface Ended {
  readonly state: Verdict['state'];
  readonly failures: number;
  /** Whether this attempt was the one after which nothing more is sent to it for a while. */
  readonly opened: boolean;
}

@Injectable()
export class CallbackRepository {
  /** Alone each, and again when the connection broke: an answer that was given must not be forgotten lightly. */
  private readonly endings = new StatementLoader((endings: readonly Ending[]) =>
    Promise.all(endings.map((ending) => this.write(ending))),
  );

  constructor(private readonly database: Database) {}

  /** Writes down what became of an attempt. `undefined` when somebody else has the callback in hand by now. */
  end(ending: Ending): Promise<Ended | undefined> {
    return this.endings.load(ending);
  }

  /** The attempt, the callback and its host, or nothing of them. */
  private async write(ending: Ending): Promise<Ended | undefined> {
    const { callback, attempted, verdict, startedAt, endedAt } = ending;
    const answered = attempted.outcome === 'answered' ? attempted : undefined;
    const error = attempted.outcome === 'failed' ? attempted.reason : null;
    const { state, pauseMs = null, hostWorks } = verdict;
    const first = ending.verdictOfFirst;
    const taken = state === 'delivered' || state === 'gone';
    // A clock may be set back meanwhile.
    const tookMs = Math.max(0, endedAt.getTime() - startedAt.getTime());
    const [host] = await this.database.query<Ended>(sql`
      WITH held AS (
        SELECT found.id,
          CASE WHEN found.sent_again THEN ${first.state} ELSE ${state} END AS state,
          CASE WHEN found.sent_again THEN ${first.pauseMs ?? null}::int ELSE ${pauseMs}::int END AS pause_ms
        FROM (
          SELECT id, attempt, leased_until, earlier_attempts <> ${callback.earlierAttempts} AS sent_again
          FROM callback WHERE id = ${callback.id} LIMIT 1 FOR UPDATE) AS found
        WHERE found.attempt = ${callback.attempt} AND found.leased_until IS NOT NULL
      ), ended AS (
        UPDATE callback SET state = (SELECT held.state FROM held)::callback_state, leased_until = NULL,
          next_attempt_at = now() + (SELECT held.pause_ms FROM held) * interval '1 millisecond',
          ended_at = CASE WHEN (SELECT held.state FROM held) <> 'pending' THEN now() END
        WHERE id = (SELECT held.id FROM held)
        RETURNING id, attempt, organisation_id, host, state
      ), noted AS (
        INSERT INTO callback_attempt (callback_id, attempt, status, error, answer, started_at, ended_at)
        SELECT id, attempt, ${answered?.status ?? null}::int, ${error}::text, ${answered?.answer ?? null}::bytea,
          ${startedAt}::timestamptz, ${endedAt}::timestamptz
        FROM ended ON CONFLICT (callback_id, attempt) DO NOTHING
      ), earlier AS (
        SELECT failures FROM callback_host
        WHERE organisation_id = ${callback.organisationId} AND host = ${callback.host}
      )
      INSERT INTO callback_host AS known (organisation_id, host, pace_ms, failures, failing_since)
      SELECT organisation_id, host, ${tookMs}::int, ${hostWorks ? 0 : 1}::int, CASE WHEN NOT ${taken} THEN now() END
      FROM ended
      ON CONFLICT (organisation_id, host) DO UPDATE SET
        pace_ms = round(known.pace_ms * ${paceMemory}::float8 + excluded.pace_ms * (1 - ${paceMemory}::float8)),
        -- What was under way when it opened says nothing new.
        failures = CASE WHEN ${hostWorks} THEN 0 WHEN known.open_until > now() THEN known.failures
          ELSE known.failures + 1 END,
        open_until = CASE WHEN ${hostWorks} THEN NULL WHEN known.open_until > now() THEN known.open_until
          WHEN known.failures + 1 >= ${breaker.failures}::int THEN now() + interval '1 millisecond'
            * least(${breaker.longestMs}::float8, ${breaker.firstMs}::float8 * 2 ^ least(known.failures + 1 - ${breaker.failures}::int, 30))
            * (1 + random() / 5) END,
        failing_since = CASE WHEN NOT ${taken} THEN coalesce(known.failing_since, now()) END,
        reported_at = CASE WHEN NOT ${taken} THEN known.reported_at END,
        updated_at = now()
      RETURNING (SELECT state FROM ended) AS state, failures,
        failures = ${breaker.failures}::int AND failures > (SELECT failures FROM earlier) AS opened`);
    return host;
  }
}
