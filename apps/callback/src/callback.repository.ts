import type { CallbackStatus, CallbackType } from '@gangan/contracts';
import {
  type Callback,
  columnsOf,
  Database,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';

export type OwnedId = Pick<Callback, 'id' | 'organisationId'>;

interface ListQuery {
  readonly organisationId: string;
  readonly before?: string | undefined;
  readonly status?: CallbackStatus | undefined;
  readonly type?: CallbackType | undefined;
  readonly resourceId?: string | undefined;
  readonly endpointId?: string | undefined;
}

const maxAttemptsShown = 50;

const shape = {
  id: t.uuid,
  type: t.textOf<CallbackType>(),
  resourceId: t.uuid,
  endpointId: t.nullable(t.uuid),
  url: t.text,
  state: t.enumOf<CallbackStatus>('callback_state'),
  attempt: t.int,
  createdAt: t.timestamp,
  /** `null` while an attempt is in flight, and after the end. */
  nextAttemptAt: t.from(
    sql`CASE WHEN leased_until IS NULL THEN next_attempt_at END`,
    t.nullable(t.timestamp),
  ),
  endedAt: t.nullable(t.timestamp),
};

const columns = columnsOf(shape);

/** Takes the place of the table: few callbacks belong to one resource, and otherwise all would be read in id order. */
const onlyOfResource = (organisationId: string, resourceId: string): Sql => sql`
  WITH callback AS MATERIALIZED (
    SELECT id, organisation_id, type, resource_id, endpoint_id, url, state, attempt, created_at, ended_at, leased_until,
      next_attempt_at
    FROM callback WHERE organisation_id = ${organisationId} AND resource_id = ${resourceId})`;

/** Written out, not as a parameter: a partial index serves only a statement that names its states. */
const statusConditions: Readonly<Record<CallbackStatus, Sql>> = {
  pending: sql`AND state = 'pending'`,
  delivered: sql`AND state = 'delivered'`,
  failed: sql`AND state = 'failed'`,
  gone: sql`AND state = 'gone'`,
};

/** Newest first. */
const listCallbacks = statement(
  shape,
  ({ organisationId, before, status, type, resourceId, endpointId }: ListQuery, limit: number) => sql`
    ${resourceId === undefined ? sql`` : onlyOfResource(organisationId, resourceId)}
    SELECT ${columns} FROM callback WHERE organisation_id = ${organisationId}
      ${before === undefined ? sql`` : sql`AND id < ${before}`}
      ${status === undefined ? sql`` : statusConditions[status]}
      ${type === undefined ? sql`` : sql`AND type = ${type}`}
      ${endpointId === undefined ? sql`` : sql`AND endpoint_id = ${endpointId}`}
    ORDER BY id DESC LIMIT ${limit}`,
  {
    samples: [
      [{ organisationId: '' }, 1],
      [{ organisationId: '', before: '', status: 'pending', type: 'message.sent', resourceId: '' }, 1],
      [{ organisationId: '', endpointId: '' }, 1],
    ],
  },
);

/**
 * Makes a callback in any state due and restarts its schedule. An attempt in flight counts as the requested one, since
 * a second one would exceed the limit of the host. Closes the circuit of the host, unless an attempt is testing it.
 */
const makeDue = statement(
  { id: t.uuid },
  ({ id, organisationId }: OwnedId) => sql`
    WITH wanted AS MATERIALIZED (
      SELECT id, coalesce(leased_until > now(), false) AS in_flight FROM callback
      WHERE id = ${id} AND organisation_id = ${organisationId} FOR UPDATE
    ), due AS (
      UPDATE callback SET state = 'pending', ended_at = NULL, due_since = now(),
        earlier_attempts = CASE WHEN wanted.in_flight THEN attempt - 1 ELSE attempt END,
        next_attempt_at = CASE WHEN wanted.in_flight THEN next_attempt_at ELSE now() END,
        host = coalesce((SELECT endpoint.host FROM callback_endpoint AS endpoint
          WHERE endpoint.id = callback.endpoint_id AND NOT wanted.in_flight), host)
      FROM wanted WHERE callback.id = ${id} AND callback.id = wanted.id
      RETURNING callback.id, organisation_id, host
    ), closed AS (
      UPDATE callback_host SET open_until = NULL
      WHERE (organisation_id, host) = (SELECT organisation_id, host FROM due) AND open_until > now()
        AND NOT EXISTS (
          SELECT FROM callback WHERE callback.organisation_id = callback_host.organisation_id
            AND callback.host = callback_host.host AND leased_until > now())
    )
    SELECT id FROM due`,
);

export type CallbackRow = RowOf<typeof listCallbacks>;

export type CallbackWithAttempts = NonNullable<Awaited<ReturnType<CallbackRepository['find']>>>;

@Injectable()
export class CallbackRepository {
  constructor(private readonly database: Database) {}

  list(query: ListQuery, limit: number): Promise<CallbackRow[]> {
    return this.database.run(listCallbacks, query, limit);
  }

  /** Finds a callback with its newest attempts. */
  async find(owned: OwnedId) {
    const found = await this.database.callback.findFirst({
      where: { ...owned },
      include: { attempts: { orderBy: { attempt: 'desc' }, take: maxAttemptsShown } },
    });
    if (!found) return undefined;
    const { type, leasedUntil, nextAttemptAt, ...callback } = found;
    return { ...callback, type: type as CallbackType, nextAttemptAt: leasedUntil ? null : nextAttemptAt };
  }

  /** Returns false if there is no such callback. */
  async makeDue(owned: OwnedId): Promise<boolean> {
    return (await this.database.run(makeDue, owned)).length > 0;
  }
}
