import type { CallbackStatus } from '@gangan/contracts';
import { command, Database, type Sql, sql, statement, t } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { firstIdAt } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { OwnedId } from '../callback.repository.js';
import type { Host } from '../dispatch/host-limits.js';

/** Callbacks of an endpoint that were created in a period. */
export interface RecoveredPeriod {
  readonly endpoint: OwnedId;
  readonly from: Date;
  readonly to: Date;
  readonly status: CallbackStatus | undefined;
}

interface NewTest {
  readonly id: string;
  readonly requestId: string;
  readonly body: string;
}

/** The clock of a process that makes ids may differ from that of the database by less than this. */
const clockToleranceMs = 3_600_000;
const shifted = (time: Date, ms: number): string => firstIdAt(new Date(Math.max(0, time.getTime() + ms)));

/** A test that an earlier run stored stays. */
const insertTest = command(
  ({ id: endpointId, organisationId }: OwnedId, { id, requestId, body }: NewTest) => sql`
    INSERT INTO callback (id, organisation_id, endpoint_id, type, resource_id, url, host, body, request_id, due_since,
      next_attempt_at)
    SELECT ${id}::uuid, organisation_id, id, 'endpoint.test', id, url, host, ${body}, ${requestId}, ${dueNow}, ${dueNow}
    FROM callback_endpoint WHERE id = ${endpointId}::uuid AND organisation_id = ${organisationId}::uuid
    ON CONFLICT DO NOTHING`,
);

const hasStatus = (status: CallbackStatus | undefined): Sql =>
  status === undefined ? sql`true` : sql`state = ${status}::callback_state`;

const hostOfEndpoint = ({ id }: OwnedId): Sql =>
  sql`(SELECT endpoint.host FROM callback_endpoint AS endpoint WHERE endpoint.id = ${id}::uuid)`;

/**
 * Makes the next callbacks of the period due. One that is locked, in flight or due at the host of the endpoint is sent
 * anyway; one that waits for an earlier host moves to the current one.
 */
const recoverSlice = statement(
  { recovered: t.int, last: t.nullable(t.uuid), isLast: t.bool },
  ({ endpoint, from, to, status }: RecoveredPeriod, after: string, limit: number) => sql`
    WITH scanned AS MATERIALIZED (
      SELECT id FROM callback
      WHERE endpoint_id = ${endpoint.id}::uuid AND organisation_id = ${endpoint.organisationId}::uuid
        AND id > ${after}::uuid AND id < ${shifted(to, clockToleranceMs)}::uuid
      ORDER BY id LIMIT ${limit}::int
    ), locked AS MATERIALIZED (
      SELECT found.id FROM scanned CROSS JOIN LATERAL (
        SELECT id FROM callback
        WHERE id = scanned.id AND created_at >= ${from} AND created_at < ${to} AND leased_until IS NULL
          AND ${hasStatus(status)}
          AND NOT (state = 'pending' AND next_attempt_at <= now() AND host = ${hostOfEndpoint(endpoint)})
        LIMIT 1 FOR UPDATE SKIP LOCKED) AS found
    ), due AS (
      UPDATE callback SET state = 'pending', ended_at = NULL, due_since = now(), earlier_attempts = attempt,
        next_attempt_at = ${dueNow}, host = ${hostOfEndpoint(endpoint)}
      WHERE id = ANY (ARRAY(SELECT locked.id FROM locked)) RETURNING id
    )
    SELECT (SELECT count(*)::int FROM due) AS recovered,
      (SELECT id FROM scanned ORDER BY id DESC LIMIT 1) AS last,
      (SELECT count(*) FROM scanned) < ${limit}::int AS "isLast"`,
  {
    samples: [
      [
        { endpoint: { id: '', organisationId: '' }, from: new Date(0), to: new Date(0), status: undefined },
        '',
        1,
      ],
      [
        { endpoint: { id: '', organisationId: '' }, from: new Date(0), to: new Date(0), status: 'failed' },
        '',
        1,
      ],
    ],
  },
);

/** Closes the circuit, unless an attempt is testing the host. */
const closeCircuit = command(
  ({ organisationId, host }: Host) => sql`
    UPDATE callback_host SET open_until = NULL
    WHERE organisation_id = ${organisationId}::uuid AND host = ${host} AND open_until > now() AND NOT EXISTS (
      SELECT FROM callback WHERE callback.organisation_id = callback_host.organisation_id
        AND callback.host = callback_host.host AND leased_until > now())`,
);

@Injectable()
export class EndpointCallbacksRepository {
  constructor(private readonly database: Database) {}

  async addTest(endpoint: OwnedId, test: NewTest): Promise<void> {
    await this.database.run(insertTest, endpoint, test);
  }

  /**
   * Makes up to `maxSlices * sliceSize` callbacks due, in the order of their ids.
   * @returns their number, and with `next` where to continue
   */
  async recover(
    period: RecoveredPeriod,
    after = shifted(period.from, -clockToleranceMs),
    { maxSlices = 10, sliceSize = 1_000 } = {},
  ): Promise<{ recovered: number; next: string | undefined }> {
    let [recovered, next] = [0, after];
    for (let slice = 0; slice < maxSlices; slice++) {
      const [found] = await this.database.run(recoverSlice, period, next, sliceSize);
      recovered += found?.recovered ?? 0;
      next = found?.last ?? next;
      if (found?.isLast ?? true) return { recovered, next: undefined };
    }
    return { recovered, next };
  }

  async closeCircuit(host: Host): Promise<void> {
    await this.database.run(closeCircuit, host);
  }
}
