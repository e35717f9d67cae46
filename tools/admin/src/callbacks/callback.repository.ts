import { type Database, sql, type Sql } from '@gangan/database';

/** Callbacks that failed within a time, of one organisation or of all. */
export interface Failures {
  readonly since: Date;
  readonly until: Date;
  readonly organisationId: string | undefined;
}

const portion = 1_000;

const among = ({ since, until, organisationId }: Failures): Sql => sql`
  state = 'failed' AND ended_at >= ${since} AND ended_at <= ${until}
  ${organisationId === undefined ? sql`` : sql`AND organisation_id = ${organisationId}`}`;

export async function countFailures(
  database: Database,
  failures: Failures,
): Promise<{ readonly callbacks: number; readonly hosts: number }> {
  const [counts = { callbacks: 0, hosts: 0 }] = await database.query<{
    callbacks: number;
    hosts: number;
  }>(sql`
    SELECT count(*)::int AS callbacks, count(DISTINCT (organisation_id, host))::int AS hosts
    FROM callback WHERE ${among(failures)}`);
  return counts;
}

/** Makes them due at some moment of the time to come each, in portions that hold nobody up. Tells how many there were. */
export async function recoverFailures(
  database: Database,
  failures: Failures,
  overMs: number,
): Promise<number> {
  let recovered = 0;
  for (;;) {
    const count = await database.execute(sql`
      UPDATE callback SET state = 'pending', earlier_attempts = attempt, ended_at = NULL, due_since = now(),
        next_attempt_at = now() + random() * ${overMs}::float8 * interval '1 millisecond'
      WHERE id = ANY (ARRAY(
        SELECT id FROM callback WHERE ${among(failures)} ORDER BY ended_at LIMIT ${portion} FOR UPDATE SKIP LOCKED))`);
    if (count === 0) return recovered;
    recovered += count;
  }
}

export interface FailingHost {
  readonly organisation: string;
  readonly host: string;
  readonly failingSince: Date;
  readonly lastTried: Date;
  readonly waiting: number;
  /** A status or the reason why there was none, of a callback that waits. */
  readonly lastResult: string | null;
}

/** Hosts that have taken nothing for so long, though they were tried. */
export const failingHosts = (database: Database, forMs: number): Promise<FailingHost[]> =>
  database.query<FailingHost>(sql`
    SELECT account.name || '/' || organisation.mode AS organisation, failing.host,
      failing.failing_since AS "failingSince", failing.updated_at AS "lastTried", pending.waiting,
      latest.result AS "lastResult"
    FROM callback_host AS failing
    JOIN organisation ON organisation.id = failing.organisation_id
    JOIN account ON account.id = organisation.account_id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting FROM callback WHERE callback.organisation_id = failing.organisation_id
        AND callback.host = failing.host AND state = 'pending') AS pending
    LEFT JOIN LATERAL (
      SELECT coalesce(status::text, error) AS result
      FROM (SELECT id FROM callback WHERE callback.organisation_id = failing.organisation_id
              AND callback.host = failing.host AND state = 'pending' LIMIT 100) AS tried
      JOIN callback_attempt ON callback_id = tried.id
      ORDER BY started_at DESC LIMIT 1) AS latest ON true
    WHERE failing.failing_since <= now() - ${forMs}::float8 * interval '1 millisecond'
    ORDER BY failing.failing_since`);

export interface Signer {
  readonly organisation: string;
  readonly secret: string;
}

/** The secrets that sign at this moment, of one organisation or of all. */
export const signersOf = (database: Database, organisationId: string | undefined): Promise<Signer[]> =>
  database.query<Signer>(sql`
    SELECT account.name || '/' || organisation.mode AS organisation, callback_secret.secret
    FROM callback_secret
    JOIN organisation ON organisation.id = callback_secret.organisation_id
    JOIN account ON account.id = organisation.account_id
    WHERE (retires_at IS NULL OR retires_at > now())
      ${organisationId === undefined ? sql`` : sql`AND organisation.id = ${organisationId}`}
    ORDER BY callback_secret.id DESC`);
