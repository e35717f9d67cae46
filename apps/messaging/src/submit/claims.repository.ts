import { Database, type DeliveryLane, type Sql, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { byIndex } from '../by-index.js';
import type { Candidate, Held, Queue } from './delivery.js';

/**
 * How long the event of a new delivery has, before it is looked for as overdue. Who looks for new ones looks no further
 * ahead than this, and so past none of those that wait for their next attempt.
 */
const eventGrace = sql`interval '5 seconds'`;

const mostOrganisations = 1_000;

export interface Choice extends Pick<Candidate, 'id' | 'attempt'> {
  readonly provider: string;
}

export interface Postponed extends Pick<Candidate, 'id' | 'attempt'> {
  readonly ms: number;
}

/** An organisation with something overdue. */
export interface Overdue {
  readonly organisationId: string;
  readonly overdueMs: number;
}

/** The row is the truth, `next_attempt_at` its lease, and `attempt` tells who holds it. */
@Injectable()
export class ClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Leaps through the index from organisation to organisation; whose waits longest comes first. */
  overdue(lane: DeliveryLane): Promise<Overdue[]> {
    return this.database.query<Overdue>(sql`
      WITH RECURSIVE leap AS (
        (SELECT organisation_id FROM delivery WHERE lane = ${lane}::delivery_lane AND ${waiting}
         ORDER BY organisation_id LIMIT 1)
        UNION ALL
        SELECT (SELECT organisation_id FROM delivery WHERE lane = ${lane}::delivery_lane AND ${waiting}
                AND organisation_id > leap.organisation_id ORDER BY organisation_id LIMIT 1)
        FROM leap WHERE leap.organisation_id IS NOT NULL)
      SELECT leap.organisation_id AS "organisationId",
        extract(epoch FROM now() - first.next_attempt_at)::float8 * 1000 AS "overdueMs"
      FROM leap CROSS JOIN LATERAL (
        SELECT next_attempt_at FROM delivery
        WHERE lane = ${lane}::delivery_lane AND organisation_id = leap.organisation_id AND ${waiting}
          AND next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT 1) first
      ORDER BY first.next_attempt_at LIMIT ${mostOrganisations}`);
  }

  /** What is overdue, and what is new; oldest first. */
  waiting({ lane, organisationId }: Queue, limit: number): Promise<Candidate[]> {
    return this.database.query<Candidate>(sql`
      SELECT ${candidateColumns(organisationId)} FROM delivery
      WHERE lane = ${lane}::delivery_lane AND organisation_id = ${organisationId} AND ${waiting}
        AND next_attempt_at <= now() + ${eventGrace}
        AND (next_attempt_at <= now() OR state = 'queued' AND attempt = 0)
      ORDER BY next_attempt_at LIMIT ${limit}`);
  }

  /** Those of these that nobody has taken up yet. */
  untouched({ lane, organisationId }: Queue, ids: readonly string[]): Promise<Candidate[]> {
    return this.database.query<Candidate>(sql`
      SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
        SELECT ${candidateColumns(organisationId)} FROM delivery
        WHERE id = named.id AND organisation_id = ${organisationId} AND lane = ${lane}::delivery_lane
          AND state = 'queued' AND attempt = 0 LIMIT 1) found`);
  }

  /** Marks them as being handed over, before they are; but not what others have taken up meanwhile. */
  claim({ lane, organisationId }: Queue, choices: readonly Choice[], leaseMs: number): Promise<Held[]> {
    return byIndex(this.database, (transaction) =>
      transaction.query<Held>(sql`
      WITH choice AS MATERIALIZED (
        SELECT id, attempt, provider FROM unnest(${choices.map(({ id }) => id)}::uuid[],
          ${choices.map(({ attempt }) => attempt)}::int[], ${choices.map(({ provider }) => provider)}::text[])
          AS chosen (id, attempt, provider)
      ), locked AS MATERIALIZED (
        SELECT choice.id, choice.provider, free.unsure FROM choice CROSS JOIN LATERAL (
          SELECT state = 'submitting' AS unsure FROM delivery
          WHERE id = choice.id AND organisation_id = ${organisationId} AND lane = ${lane}::delivery_lane
            AND ${waiting} AND attempt = choice.attempt
          LIMIT 1 FOR UPDATE SKIP LOCKED) free
      ), claimed AS (
        UPDATE delivery SET state = 'submitting', attempt = attempt + 1, provider = locked.provider,
          next_attempt_at = ${inMs(leaseMs)}
        FROM locked WHERE delivery.id = locked.id
        RETURNING delivery.id, delivery.organisation_id, created_at, channel, recipient, recipient_given, substitutions,
          message_id, otp_id, attempt, delivery.provider, locked.unsure, sealed_body
      ), noted AS (
        INSERT INTO delivery_attempt (delivery_id, attempt, provider) SELECT id, attempt, provider FROM claimed)
      SELECT id, organisation_id AS "organisationId", channel, ${modeOf(organisationId)} AS mode, ${ageMs}, recipient,
        recipient_given AS "recipientGiven", substitutions, message_id AS "messageId", otp_id AS "otpId", attempt, provider,
        unsure, sealed_body AS "sealedBody"
      FROM claimed`),
    );
  }

  /** Nothing can be done for them now. */
  async postpone({ lane, organisationId }: Queue, postponed: readonly Postponed[]): Promise<void> {
    const ordered = postponed.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await byIndex(this.database, (transaction) =>
      transaction.execute(sql`
      UPDATE delivery SET next_attempt_at = now() + later.ms * interval '1 millisecond'
      FROM unnest(${ordered.map(({ id }) => id)}::uuid[], ${ordered.map(({ attempt }) => attempt)}::int[],
        ${ordered.map(({ ms }) => ms)}::float8[]) AS later (id, attempt, ms)
      WHERE delivery.id = later.id AND delivery.attempt = later.attempt AND organisation_id = ${organisationId}
        AND lane = ${lane}::delivery_lane AND ${waiting}`),
    );
  }
}

/** Spelt out: the index over what waits serves only a statement that names it. */
const waiting = sql`state IN ('queued', 'submitting')`;

const modeOf = (organisationId: string): Sql =>
  sql`(SELECT mode FROM organisation WHERE id = ${organisationId})`;

const ageMs = sql`extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs"`;

const candidateColumns = (organisationId: string): Sql => sql`
  id, channel, ${modeOf(organisationId)} AS mode, recipient, message_id AS "messageId", ${ageMs}, attempt, provider,
  state = 'submitting' AS unsure`;

export const inMs = (ms: number): Sql => sql`now() + ${ms}::float8 * interval '1 millisecond'`;
