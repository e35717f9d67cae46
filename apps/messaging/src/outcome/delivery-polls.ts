import { command, type SqlRunner, sql, statement, type Statements, t, unnest } from '@gangan/database';
import type { Transition } from './transition.js';

interface NewPoll {
  readonly deliveryId: string;
  readonly provider: string;
  readonly afterMs: number;
}

const insertPolls = command(
  (polls: readonly NewPoll[]) => sql`
    INSERT INTO delivery_poll (delivery_id, provider, next_attempt_at)
    SELECT delivery_id, provider, now() + after_ms * interval '1 millisecond'
    FROM ${unnest('new', polls, { uuid: ['deliveryId'], text: ['provider'], float8: ['afterMs'] })}
    ORDER BY delivery_id
    ON CONFLICT (delivery_id) DO UPDATE
      SET provider = excluded.provider, polls = 0, next_attempt_at = excluded.next_attempt_at`,
);

/** Remembers to ask for the states of messages that were accepted. */
export async function addPolls(transaction: Statements, transitions: readonly Transition[]): Promise<void> {
  const polls = transitions.flatMap(({ delivery: { id: deliveryId }, change }): NewPoll[] => {
    const { references, pollAfterMs: afterMs } = change;
    return references && afterMs !== undefined
      ? [{ deliveryId, provider: references.provider, afterMs }]
      : [];
  });
  if (polls.length > 0) await transaction.run(insertPolls, polls);
}

/** Claims the turns of providers with due messages: each provider has one a second, at one worker. */
const claimTurns = statement(
  { provider: t.text },
  (providers: readonly string[]) => sql`
    INSERT INTO provider_health AS known (provider_id, polled_at)
    SELECT provider.id, now() FROM provider CROSS JOIN LATERAL (
      SELECT FROM delivery_poll
      WHERE delivery_poll.provider = provider.name AND next_attempt_at <= now() LIMIT 1) due
    WHERE provider.name = ANY (${providers}::text[]) ORDER BY provider.id
    ON CONFLICT (provider_id) DO UPDATE SET polled_at = excluded.polled_at
    WHERE known.polled_at IS NULL OR known.polled_at <= now() - interval '1 second'
    RETURNING (SELECT name FROM provider WHERE id = known.provider_id) AS provider`,
);

const postponeTurn = command(
  (provider: string, delayMs: number) => sql`
    UPDATE provider_health SET polled_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    FROM provider WHERE provider.id = provider_id AND provider.name = ${provider}`,
);

/** How many due messages a statement reads. Those that have their report are removed. */
const maxRead = 500;
const maxDelayMs = 3_600_000;

/**
 * Claims due messages of a provider, and doubles the time until each is due again: if this worker dies, or gets no answer,
 * another asks then.
 */
const claimPolls = statement(
  { references: t.array(t.text) },
  (provider: string, limit: number, afterMs: number) => sql`
    WITH due AS MATERIALIZED (
      SELECT delivery_id, polls FROM delivery_poll WHERE provider = ${provider} AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT ${maxRead} FOR UPDATE SKIP LOCKED
    ), known AS MATERIALIZED (
      SELECT due.delivery_id, due.polls, sent.* FROM due LEFT JOIN LATERAL (
        SELECT attempt, provider_reference AS reference FROM delivery
        WHERE id = due.delivery_id AND state::text = 'sent' AND delivery.provider = ${provider} LIMIT 1) sent ON true
    ), removed AS (
      DELETE FROM delivery_poll
      WHERE delivery_id = ANY (ARRAY(SELECT delivery_id FROM known WHERE attempt IS NULL))
    ), asked AS MATERIALIZED (
      SELECT * FROM known WHERE attempt IS NOT NULL LIMIT ${limit})
    UPDATE delivery_poll SET polls = asked.polls + 1,
      next_attempt_at = now() + interval '1 millisecond'
        * least(greatest(${maxDelayMs}::float8, ${afterMs}::float8), ${afterMs}::float8 * 2 ^ least(asked.polls, 20))
    FROM asked
    WHERE delivery_poll.delivery_id = ANY (ARRAY(SELECT delivery_id FROM asked))
      AND delivery_poll.delivery_id = asked.delivery_id
    RETURNING ARRAY(
      SELECT named.reference FROM provider_reference AS named
      WHERE named.delivery_id = asked.delivery_id AND named.attempt = asked.attempt
        AND named.provider = ${provider} AND named.state IS NULL
      UNION ALL
      SELECT asked.reference WHERE asked.reference IS NOT NULL AND NOT EXISTS (
        SELECT FROM provider_reference AS named
        WHERE named.delivery_id = asked.delivery_id AND named.attempt = asked.attempt)) AS references`,
);

/** Messages whose state providers are asked for. */
export const deliveryPolls = {
  claimTurns: async (database: SqlRunner, providers: readonly string[]): Promise<string[]> =>
    (await database.run(claimTurns, providers)).map(({ provider }) => provider),
  /** No worker asks the provider before this delay has passed. */
  postponeTurn: (database: SqlRunner, provider: string, delayMs: number) =>
    database.run(postponeTurn, provider, delayMs),
  /** @returns the references of the messages */
  claim: async (database: SqlRunner, provider: string, limit: number, afterMs: number): Promise<string[]> =>
    (await database.run(claimPolls, provider, limit, afterMs)).flatMap(({ references }) => references),
};
