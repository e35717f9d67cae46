import type { CallbackStatus, CallbackType } from '@gangan/contracts';
import { Database, type Sql, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { AttemptRow, CallbackRow, WholeCallback } from './callback-answer.js';

export interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

export interface ListWish {
  readonly organisationId: string;
  readonly limit: number;
  readonly before: string | undefined;
  readonly status: CallbackStatus | undefined;
  readonly type: CallbackType | undefined;
  readonly resourceId: string | undefined;
}

const mostAttempts = 50;
const shownOfAnAnswer = 1_024;

const columns = sql`
  id, type, resource_id AS "resourceId", url, state, attempt, created_at AS "createdAt", ended_at AS "endedAt",
  CASE WHEN leased_until IS NULL THEN next_attempt_at END AS "nextAttemptAt"`;

@Injectable()
export class ReadingRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(wish: ListWish): Promise<CallbackRow[]> {
    const { organisationId, limit, before, status, type, resourceId } = wish;
    return this.database.query<CallbackRow>(sql`
      ${resourceId === undefined ? nothing : about(organisationId, resourceId)}
      SELECT ${columns} FROM callback WHERE organisation_id = ${organisationId}
        ${before === undefined ? nothing : sql`AND id < ${before}`}
        ${status === undefined ? nothing : byStatus[status]}
        ${type === undefined ? nothing : sql`AND type = ${type}`}
      ORDER BY id DESC LIMIT ${limit}`);
  }

  async find({ id, organisationId }: Owned): Promise<WholeCallback | undefined> {
    const [callback] = await this.database.query<Omit<WholeCallback, 'attempts'>>(sql`
      SELECT ${columns}, request_id AS "requestId", body FROM callback
      WHERE id = ${id} AND organisation_id = ${organisationId}`);
    if (!callback) return undefined;
    const attempts = await this.database.query<AttemptRow>(sql`
      SELECT attempt, status, error, substring(answer FROM 1 FOR ${shownOfAnAnswer}) AS answer,
        started_at AS "startedAt", ended_at AS "endedAt"
      FROM callback_attempt WHERE callback_id = ${id} ORDER BY attempt DESC LIMIT ${mostAttempts}`);
    return { ...callback, attempts };
  }

  /**
   * Makes it due, whatever became of it, and begins its schedule anew. An attempt under way is what was asked for: a
   * second beside it would evade the limit of its host. A host that is left alone for a while is tried, unless it is
   * being tried. Tells whether there is such a callback.
   */
  async makeDue({ id, organisationId }: Owned): Promise<boolean> {
    const [due] = await this.database.query(sql`
      WITH asked AS MATERIALIZED (
        SELECT id, coalesce(leased_until > now(), false) AS under_way FROM callback
        WHERE id = ${id} AND organisation_id = ${organisationId} FOR UPDATE
      ), due AS (
        UPDATE callback SET state = 'pending', ended_at = NULL, due_since = now(),
          earlier_attempts = CASE WHEN asked.under_way THEN attempt - 1 ELSE attempt END,
          next_attempt_at = CASE WHEN asked.under_way THEN next_attempt_at ELSE now() END
        FROM asked WHERE callback.id = asked.id
        RETURNING callback.id, organisation_id, host
      ), trusted AS (
        UPDATE callback_host SET open_until = NULL
        WHERE (organisation_id, host) = (SELECT organisation_id, host FROM due) AND open_until > now()
          AND NOT EXISTS (
            SELECT FROM callback WHERE callback.organisation_id = callback_host.organisation_id
              AND callback.host = callback_host.host AND leased_until > now())
      )
      SELECT id FROM due`);
    return due !== undefined;
  }
}

/** In the place of the table. Few are about one thing: found first, or all would be read in the order of their ids. */
const about = (organisationId: string, resourceId: string): Sql => sql`
  WITH callback AS MATERIALIZED (
    SELECT id, organisation_id, type, resource_id, url, state, attempt, created_at, ended_at, leased_until,
      next_attempt_at
    FROM callback WHERE organisation_id = ${organisationId} AND resource_id = ${resourceId})`;

/** Spelt out, not as parameters: an index over some of the states serves only a statement that names them. */
const byStatus: Readonly<Record<CallbackStatus, Sql>> = {
  pending: sql`AND state = 'pending'`,
  delivered: sql`AND state = 'delivered'`,
  failed: sql`AND state = 'failed'`,
  gone: sql`AND state = 'gone'`,
};

const nothing = sql``;
