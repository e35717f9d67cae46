import { Database, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import type { Claimed } from '../delivery/claimed.js';
import type { Allotment, Host, HostState } from './isolation.js';

/** Some of the hosts for which anything is pending. */
export interface Sweep {
  readonly due: readonly DueHost[];
  /** Where to go on; `undefined` when there is nothing behind. */
  readonly last: Host | undefined;
}

export interface DueHost extends Host {
  readonly overdueSeconds: number;
  /** It keeps failing, and is left alone for a while. */
  readonly isOpen: boolean;
}

/** What came of asking for callbacks of some hosts. */
export interface Claim {
  readonly allotments: readonly Allotment[];
  readonly callbacks: readonly Claimed[];
  /** Another worker is asking for these at the same moment. */
  readonly busy: readonly Host[];
}

/** For what comes between the claim and the attempt, and between its answer and the note of it. */
const leaseMarginMs = 5_000;
const mostLeaps = 5_000;
/** Before all others. */
const nobody: Host = { organisationId: '00000000-0000-0000-0000-000000000000', host: '' };

/** Decides, between all workers, who makes which attempt. */
@Injectable()
export class ClaimsRepository {
  private readonly leaseMs: number;

  constructor(
    private readonly database: Database,
    config: CallbackConfig,
  ) {
    this.leaseMs = config.CALLBACK_TIMEOUT_MS + leaseMarginMs;
  }

  /**
   * Where the callbacks go that are due, of those with these ids. By nothing but the id: a plan made while the table was
   * empty might look for pending ones otherwise, and read them all.
   */
  async hostsOf(ids: readonly string[]): Promise<Host[]> {
    return this.database.query<Host>(sql`
      SELECT DISTINCT found.organisation_id AS "organisationId", found.host
      FROM unnest(${ids}::uuid[]) AS asked (id) CROSS JOIN LATERAL (
        SELECT organisation_id, host, state, next_attempt_at FROM callback WHERE id = asked.id LIMIT 1) AS found
      WHERE found.state = 'pending' AND found.next_attempt_at <= now()`);
  }

  /**
   * Hosts with something due, in the order of the index, after the given one. Leaps from host to host: what it costs
   * grows with the hosts for which anything is pending, not with how much, and has an end.
   */
  async dueHosts(after: Host = nobody, most = mostLeaps): Promise<Sweep> {
    const found = await this.database.query<DueHost & { readonly isDue: boolean; readonly leap: number }>(sql`
      WITH RECURSIVE pending AS (
        (SELECT organisation_id, host, next_attempt_at, 1 AS leap FROM callback
         WHERE state = 'pending' AND (organisation_id, host) > (${after.organisationId}::uuid, ${after.host}::text)
         ORDER BY organisation_id, host, next_attempt_at LIMIT 1)
        UNION ALL
        SELECT following.organisation_id, following.host, following.next_attempt_at, pending.leap + 1
        FROM pending CROSS JOIN LATERAL (
          SELECT organisation_id, host, next_attempt_at FROM callback
          WHERE state = 'pending' AND (organisation_id, host) > (pending.organisation_id, pending.host)
          ORDER BY organisation_id, host, next_attempt_at LIMIT 1) AS following
        WHERE pending.leap < ${most}::int
      )
      SELECT pending.organisation_id AS "organisationId", pending.host, pending.leap,
        pending.next_attempt_at <= now() AS "isDue",
        extract(epoch FROM now() - pending.next_attempt_at)::float8 AS "overdueSeconds",
        coalesce(known.open_until > now(), false) AS "isOpen"
      FROM pending LEFT JOIN LATERAL (
        SELECT open_until FROM callback_host
        WHERE organisation_id = pending.organisation_id AND host = pending.host LIMIT 1) AS known ON true
      WHERE pending.next_attempt_at <= now() OR pending.leap = ${most}::int`);
    return { due: found.filter(({ isDue }) => isDue), last: found.find(({ leap }) => leap === most) };
  }

  /** @param share gives each host its part; it is told how things stand between all workers, while they wait */
  claim(hosts: readonly Host[], share: (states: readonly HostState[]) => Allotment[]): Promise<Claim> {
    return this.database.transaction(async (transaction) => {
      const held = await hold(transaction, hosts);
      const busy = hosts.filter((_, place) => !held.has(place));
      const allotments = share(
        await look(
          transaction,
          hosts.filter((_, place) => held.has(place)),
        ),
      );
      const given = allotments.filter(({ slots }) => slots > 0);
      const callbacks = given.length > 0 ? await take(transaction, given, this.leaseMs) : [];
      return { allotments, callbacks, busy };
    });
  }
}

const organisationsOf = (hosts: readonly Host[]): string[] =>
  hosts.map(({ organisationId }) => organisationId);
const namesOf = (hosts: readonly Host[]): string[] => hosts.map(({ host }) => host);

/**
 * One worker at a time decides about a host. What is known of it is not locked by that, so that whoever ends an attempt
 * need not wait. Statements of this transaction may be planned while the tables are empty, and are kept: they are told
 * not to read whole tables.
 */
async function hold(transaction: Statements, hosts: readonly Host[]): Promise<ReadonlySet<number>> {
  const held = await transaction.query<{ place: number }>(sql`
    SELECT (place - 1)::int AS place, set_config('enable_seqscan', 'off', true)
    FROM unnest(${organisationsOf(hosts)}::text[], ${namesOf(hosts)}::text[])
      WITH ORDINALITY AS asked (organisation_id, host, place)
    WHERE pg_try_advisory_xact_lock(hashtextextended('callback ' || organisation_id || ' ' || host, 0))`);
  return new Set(held.map(({ place }) => place));
}

/** A statement of its own: it must see what others did before the host was held. */
const look = (transaction: Statements, hosts: readonly Host[]): Promise<HostState[]> =>
  transaction.query<HostState>(sql`
    SELECT asked.organisation_id AS "organisationId", asked.host, known.pace_ms AS "paceMs",
      coalesce(known.failures, 0) AS failures, coalesce(known.open_until > now(), false) AS "isOpen",
      (SELECT count(*)::int FROM callback WHERE callback.organisation_id = asked.organisation_id
         AND callback.host = asked.host AND leased_until > now()) AS "underWay"
    FROM unnest(${organisationsOf(hosts)}::uuid[], ${namesOf(hosts)}::text[])
      WITH ORDINALITY AS asked (organisation_id, host, place)
    LEFT JOIN LATERAL (
      SELECT pace_ms, failures, open_until FROM callback_host
      WHERE callback_host.organisation_id = asked.organisation_id AND callback_host.host = asked.host LIMIT 1) AS known
      ON true
    ORDER BY place`);

/** Counts the attempt and leases the callback. An attempt whose lease has run out is written down as interrupted. */
const take = (
  transaction: Statements,
  allotments: readonly Allotment[],
  leaseMs: number,
): Promise<Claimed[]> =>
  transaction.query<Claimed>(sql`
    WITH due AS MATERIALIZED (
      SELECT found.id, found.attempt, found.leased_until
      FROM unnest(${organisationsOf(allotments.map(({ host }) => host))}::uuid[],
        ${namesOf(allotments.map(({ host }) => host))}::text[], ${allotments.map(({ slots }) => slots)}::int[])
        AS given (organisation_id, host, slots)
      CROSS JOIN LATERAL (
        SELECT id, attempt, leased_until FROM callback
        WHERE organisation_id = given.organisation_id AND host = given.host
          AND state = 'pending' AND next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT given.slots FOR UPDATE SKIP LOCKED) AS found
    ), interrupted AS (
      INSERT INTO callback_attempt (callback_id, attempt, error, started_at, ended_at)
      SELECT id, attempt, 'interrupted', leased_until - ${leaseMs}::int * interval '1 millisecond', leased_until
      FROM due WHERE leased_until IS NOT NULL
      ON CONFLICT (callback_id, attempt) DO NOTHING
    )
    UPDATE callback SET attempt = callback.attempt + 1,
      next_attempt_at = now() + ${leaseMs}::int * interval '1 millisecond',
      leased_until = now() + ${leaseMs}::int * interval '1 millisecond'
    WHERE id = ANY (ARRAY(SELECT due.id FROM due))
    RETURNING id, organisation_id AS "organisationId", host, url, body, request_id AS "requestId", attempt,
      earlier_attempts AS "earlierAttempts",
      ARRAY(SELECT secret FROM callback_secret
            WHERE callback_secret.organisation_id = callback.organisation_id
              AND (retires_at IS NULL OR retires_at > now())
            ORDER BY callback_secret.id DESC) AS secrets`);
