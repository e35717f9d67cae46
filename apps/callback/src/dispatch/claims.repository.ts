import { command, Database, type RowOf, type Sql, sql, statement, t, unnest } from '@gangan/database';
import { dueNow, type Lease, leaseGraceMs, LeaseHolder, leaseUntil } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { claimedShape } from '../attempts/attempt.repository.js';
import { moveWaiting } from './move-waiting.js';
import { type SlotShare, type Host, type HostState, hostStateShape } from './host-limits.js';

/** A part of the hosts that have pending callbacks. */
export interface DueHosts {
  readonly due: readonly RowOf<typeof findDueHosts>[];
  /** Where the next part begins; `undefined` at the end. */
  readonly last: Host | undefined;
}

export type ClaimResult = Awaited<ReturnType<ClaimsRepository['claim']>>;

export type DueCallback = RowOf<typeof claimDue>;

/** Hosts per statement: a longer one would delay claims. */
const maxHosts = 1_000;
/** The most callbacks that a claim moves to other hosts, which wait for it. */
const maxMovedPerClaim = 200;
/** Sorts before all hosts. */
const start: Host = { organisationId: '00000000-0000-0000-0000-000000000000', host: '' };

const organisationIds = (hosts: readonly Host[]): string[] =>
  hosts.map(({ organisationId }) => organisationId);
const names = (hosts: readonly Host[]): string[] => hosts.map(({ host }) => host);

/** Filters by id first: a plan made while the table was empty could otherwise read all pending callbacks. */
const findHosts = statement(
  { organisationId: t.uuid, host: t.text },
  (ids: readonly string[]) => sql`
    SELECT DISTINCT found.organisation_id AS "organisationId", found.host
    FROM unnest(${ids}::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT organisation_id, host, state, next_attempt_at FROM callback WHERE id = wanted.id LIMIT 1) AS found
    WHERE found.state = 'pending' AND found.next_attempt_at <= now()`,
);

/**
 * The first host after another one in the order of the index; if that one's organisation is skipped, of the next
 * organisation. `next_attempt_at IS NOT NULL` means pending, and is the predicate of `callback_next_attempt_idx` alone: with
 * `state = 'pending'` Postgres could choose another index, and read all pending callbacks for each host.
 */
const nextHost = (organisationId: Sql, host: Sql, isSkipped: Sql): Sql => sql`
  (SELECT organisation_id, host, next_attempt_at FROM callback
   WHERE NOT ${isSkipped} AND next_attempt_at IS NOT NULL AND (organisation_id, host) > (${organisationId}, ${host})
   ORDER BY organisation_id, host, next_attempt_at LIMIT 1)
  UNION ALL
  (SELECT organisation_id, host, next_attempt_at FROM callback
   WHERE ${isSkipped} AND next_attempt_at IS NOT NULL AND organisation_id > ${organisationId}
   ORDER BY organisation_id, host, next_attempt_at LIMIT 1)`;

/**
 * Hosts with due callbacks, in the order of the index. A recursive skip scan: the cost grows with the number of hosts,
 * not of pending callbacks, and is bounded. Of a skipped organisation it reads one host.
 */
const findDueHosts = statement(
  {
    organisationId: t.uuid,
    host: t.text,
    position: t.int,
    isDue: t.bool,
    overdueSeconds: t.float,
    isOpen: t.bool,
  },
  (after: Host, limit: number, skipped: readonly string[]) => sql`
    WITH RECURSIVE pending AS (
      SELECT first.*, 1 AS position FROM (${nextHost(
        sql`${after.organisationId}::uuid`,
        sql`${after.host}::text`,
        sql`${after.organisationId}::uuid = ANY (${skipped}::uuid[])`,
      )}) AS first
      UNION ALL
      SELECT following.*, pending.position + 1 FROM pending CROSS JOIN LATERAL (${nextHost(
        sql`pending.organisation_id`,
        sql`pending.host`,
        sql`pending.organisation_id = ANY (${skipped}::uuid[])`,
      )}) AS following
      WHERE pending.position < ${limit}::int
    )
    SELECT pending.organisation_id AS "organisationId", pending.host, pending.position,
      pending.next_attempt_at <= now() AS "isDue",
      extract(epoch FROM now() - pending.next_attempt_at)::float8 AS "overdueSeconds",
      coalesce(known.open_until > now(), false) AS "isOpen"
    FROM pending LEFT JOIN LATERAL (
      SELECT open_until FROM callback_host
      WHERE organisation_id = pending.organisation_id AND host = pending.host LIMIT 1) AS known ON true
    WHERE pending.next_attempt_at <= now() OR pending.position = ${limit}::int`,
);

/** Locks hosts for one worker at a time without locking their rows, so that results of attempts can be stored. */
const lockHosts = statement(
  { index: t.int },
  (hosts: readonly Host[]) => sql`
    SELECT (position - 1)::int AS index
    FROM unnest(${organisationIds(hosts)}::text[], ${names(hosts)}::text[])
      WITH ORDINALITY AS wanted (organisation_id, host, position)
    WHERE pg_try_advisory_xact_lock(hashtextextended('callback ' || organisation_id || ' ' || host, 0))`,
);

/** A statement of its own: it must see what was committed before the lock. */
const readStates = statement(
  hostStateShape,
  (hosts: readonly Host[], { holder }: Lease) => sql`
    SELECT wanted.organisation_id AS "organisationId", wanted.host, known.pace_ms AS "responseMs",
      coalesce(known.failures, 0) AS failures, coalesce(known.open_until > now(), false) AS "isOpen",
      (SELECT count(*)::int FROM callback WHERE callback.organisation_id = wanted.organisation_id
         AND callback.host = wanted.host AND leased_until > now() AND lease_holder <> ${holder}) AS "inFlight"
    FROM unnest(${organisationIds(hosts)}::uuid[], ${names(hosts)}::text[])
      WITH ORDINALITY AS wanted (organisation_id, host, position)
    LEFT JOIN LATERAL (
      SELECT pace_ms, failures, open_until FROM callback_host
      WHERE callback_host.organisation_id = wanted.organisation_id AND callback_host.host = wanted.host LIMIT 1) AS known
      ON true
    ORDER BY position`,
);

/**
 * Counts the attempt and leases the callback. An attempt whose lease has expired or was taken over is stored as interrupted.
 * A callback of an endpoint whose URL has another host by now is not claimed: it moves to that host, which has its own limit
 * and circuit. It does not name the state, for the same reason as `nextHost`.
 */
const claimDue = statement(
  { ...claimedShape, dueAt: t.timestamp, isMoved: t.bool },
  (shares: readonly SlotShare[], { leaseMs, holder }: Lease) => sql`
    WITH due AS MATERIALIZED (
      SELECT found.*, endpoint.url, endpoint.host, endpoint.enabled IS TRUE AS enabled,
        coalesce(endpoint.host <> given.host, false) AS is_moved
      FROM unnest(${shares.map(({ host }) => host.organisationId)}::uuid[],
        ${shares.map(({ host }) => host.host)}::text[], ${shares.map(({ slots, ahead }) => slots + ahead)}::int[])
        AS given (organisation_id, host, slots)
      CROSS JOIN LATERAL (
        SELECT id, attempt, leased_until, organisation_id, endpoint_id FROM callback
        WHERE organisation_id = given.organisation_id AND host = given.host AND next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT given.slots FOR UPDATE SKIP LOCKED) AS found
      LEFT JOIN LATERAL (
        SELECT url, host, enabled FROM callback_endpoint WHERE id = found.endpoint_id LIMIT 1) AS endpoint ON true
    ), interrupted AS (
      INSERT INTO callback_attempt (callback_id, attempt, error, started_at, ended_at)
      SELECT id, attempt, 'interrupted', leased_until - ${leaseMs}::int * interval '1 millisecond',
        least(leased_until, now())
      FROM due WHERE leased_until IS NOT NULL
      ON CONFLICT (callback_id, attempt) DO NOTHING
    ), signing AS MATERIALIZED (
      SELECT organisation_id, endpoint_id, coalesce(
        (SELECT restricted_callbacks FROM organisation WHERE organisation.id = signer.organisation_id LIMIT 1), false)
        AS restricted, (
        SELECT coalesce(json_agg(json_build_object('id', known.id, 'sealed', encode(sealed_secret, 'hex'), 'plain', secret)
          ORDER BY known.id DESC) FILTER (WHERE retires_at IS NULL OR retires_at > now()), '[]')
        FROM (
          SELECT id, sealed_secret, secret, retires_at FROM callback_secret
          WHERE organisation_id = signer.organisation_id AND signer.endpoint_id IS NULL
          UNION ALL
          SELECT id, sealed_secret, NULL, retires_at FROM callback_endpoint_secret
          WHERE endpoint_id = signer.endpoint_id) AS known) AS secrets
      FROM (SELECT DISTINCT organisation_id, endpoint_id FROM due) AS signer
    )
    UPDATE callback SET attempt = callback.attempt + (NOT is_moved)::int,
      next_attempt_at = CASE WHEN is_moved THEN next_attempt_at ELSE ${leaseUntil(leaseMs)} END,
      leased_until = CASE WHEN is_moved THEN callback.leased_until ELSE ${leaseUntil(leaseMs)} END,
      lease_holder = CASE WHEN is_moved THEN lease_holder ELSE ${holder}::bigint END,
      url = coalesce(due.url, callback.url), host = coalesce(due.host, callback.host)
    FROM due JOIN signing ON signing.organisation_id = due.organisation_id
      AND signing.endpoint_id IS NOT DISTINCT FROM due.endpoint_id
    WHERE callback.id = ANY (ARRAY(SELECT due.id FROM due)) AND callback.id = due.id
    RETURNING callback.id, callback.organisation_id AS "organisationId", callback.host, callback.url, body,
      sealed_body AS "sealedBody", request_id AS "requestId", callback.attempt, earlier_attempts AS "earlierAttempts",
      callback.endpoint_id AS "endpointId", callback.endpoint_id IS NOT NULL AND NOT due.enabled AS "isEndpointOff",
      signing.restricted AS "isRestricted", old.next_attempt_at AS "dueAt", is_moved AS "isMoved", signing.secrets`,
);

/** Takes claims back: the callbacks lose no attempt, and are due since the same time. */
const release = command(
  (callbacks: readonly DueCallback[], { holder }: Lease) => sql`
    UPDATE callback SET attempt = callback.attempt - 1, next_attempt_at = due_at, leased_until = NULL, lease_holder = NULL
    FROM ${unnest('claimed', callbacks, { uuid: ['id'], int: ['attempt'], timestamptz: ['dueAt'] })}
    WHERE callback.id = ANY (${callbacks.map(({ id }) => id)}::uuid[]) AND callback.id = claimed.id
      AND callback.attempt = claimed.attempt AND lease_holder = ${holder}`,
);

/** An attempt without a holder does not count as in flight. Its result counts until another worker claims the callback. */
const takeOverLeases = command(
  (dead: bigint) => sql`
    WITH held AS MATERIALIZED (
      SELECT id FROM callback WHERE leased_until IS NOT NULL AND lease_holder = ${dead} ORDER BY id FOR UPDATE)
    UPDATE callback SET next_attempt_at = ${dueNow}, lease_holder = NULL
    WHERE id = ANY (ARRAY(SELECT held.id FROM held))`,
);

/** Decides between all workers which one makes which attempt. */
@Injectable()
export class ClaimsRepository {
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    holder: LeaseHolder,
    config: CallbackConfig,
  ) {
    this.lease = holder.lease(config.CALLBACK_TIMEOUT_MS + leaseGraceMs);
    // Taken over at once: a callback that is sent twice has the same id.
    holder.onTakeover('callback', (transaction, dead) => transaction.run(takeOverLeases, dead));
  }

  /** The hosts of the callbacks that are due. */
  findHosts(ids: readonly string[]): Promise<Host[]> {
    return this.database.run(findHosts, ids);
  }

  /** @param skipped organisations of which enough hosts are known */
  async findDueHosts(
    after: Host = start,
    skipped: readonly string[] = [],
    limit = maxHosts,
  ): Promise<DueHosts> {
    const found = await this.database.run(findDueHosts, after, limit, skipped);
    return {
      due: found.filter(({ isDue }) => isDue),
      last: found.find(({ position }) => position === limit),
    };
  }

  /** Makes claimed callbacks due again that were not sent. */
  async release(callbacks: readonly DueCallback[]): Promise<void> {
    await this.database.run(release, callbacks, this.lease);
  }

  /**
   * @param share decides how many callbacks of each host are claimed, from the state that all workers share
   * @returns with `busy`, the hosts for which another worker is claiming at this moment; with `moved`, those that callbacks
   *   of endpoints with a new URL have moved to
   */
  claim(hosts: readonly Host[], share: (states: readonly HostState[]) => SlotShare[]) {
    return this.database.transaction(async (transaction) => {
      const locked = new Set((await transaction.run(lockHosts, hosts)).map(({ index }) => index));
      const busy = hosts.filter((_, index) => !locked.has(index));
      const free = hosts.filter((_, index) => locked.has(index));
      const shares = share(await transaction.run(readStates, free, this.lease));
      const given = shares.filter(({ slots, ahead }) => slots + ahead > 0);
      const found = given.length > 0 ? await transaction.run(claimDue, given, this.lease) : [];
      const moved = found.filter(({ isMoved }) => isMoved);
      const movedTo = moved.map(({ organisationId, host }) => ({ organisationId, host }));
      const endpointIds = new Set(moved.flatMap(({ endpointId }) => endpointId ?? []));
      for (const endpointId of endpointIds) await moveWaiting(transaction, endpointId, maxMovedPerClaim);
      return { shares, callbacks: found.filter(({ isMoved }) => !isMoved), busy, moved: movedTo };
    });
  }
}
