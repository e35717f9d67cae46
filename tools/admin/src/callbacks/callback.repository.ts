import {
  command,
  type Database,
  openCallbackSecret,
  openEndpointSecret,
  sql,
  type Sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import { labelOf, withAccount } from '@gangan/management';

/** Callbacks that failed in a period, of one organisation or of all. */
export interface Failures {
  readonly since: Date;
  readonly until: Date;
  readonly organisationId: string | undefined;
}

const batchSize = 1_000;

const isAmong = ({ since, until, organisationId }: Failures): Sql => sql`
  state = 'failed' AND ended_at >= ${since} AND ended_at <= ${until}
  AND organisation_id = coalesce(${organisationId ?? null}::uuid, organisation_id)`;

export const countFailures = statement(
  { callbacks: t.int, hosts: t.int },
  (failures: Failures) => sql`
    SELECT count(*)::int AS callbacks, count(DISTINCT (organisation_id, host))::int AS hosts
    FROM callback WHERE ${isAmong(failures)}`,
);

const recoverBatch = command(
  (failures: Failures, overMs: number) => sql`
    UPDATE callback SET state = 'pending', earlier_attempts = attempt, ended_at = NULL, due_since = now(),
      next_attempt_at = now() + random() * ${overMs}::float8 * interval '1 millisecond'
    WHERE id = ANY (ARRAY(
      SELECT id FROM callback WHERE ${isAmong(failures)} ORDER BY ended_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))`,
);

/**
 * Makes them due at random times in the given period, in batches that block no worker. Returns their number.
 * @param record called in the transaction of the first batch
 */
export async function recoverFailures(
  database: Database,
  failures: Failures,
  overMs: number,
  record: (transaction: SqlRunner) => Promise<void>,
): Promise<number> {
  let recovered = 0;
  for (;;) {
    const count = await database.transaction(async (transaction) => {
      const changed = await transaction.run(recoverBatch, failures, overMs);
      if (changed > 0 && recovered === 0) await record(transaction);
      return changed;
    });
    if (count === 0) return recovered;
    recovered += count;
  }
}

/** Hosts that have accepted no callback for `forMs`, although callbacks were sent. */
export const findFailingHosts = statement(
  {
    organisation: t.text,
    host: t.text,
    failing_since: t.timestamp,
    last_tried: t.timestamp,
    last_result: t.nullable(t.text),
    waiting: t.int,
  },
  (forMs: number) => sql`
    SELECT account.name || '/' || organisation.mode AS organisation, failing.host, failing.failing_since,
      failing.updated_at AS last_tried, latest.result AS last_result, pending.waiting
    FROM callback_host AS failing
    JOIN organisation ON organisation.id = failing.organisation_id
    JOIN account ON account.id = organisation.account_id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting FROM callback WHERE callback.organisation_id = failing.organisation_id
        AND callback.host = failing.host AND next_attempt_at IS NOT NULL) AS pending
    LEFT JOIN LATERAL (
      SELECT coalesce(status::text, error) AS result
      FROM (SELECT id FROM callback WHERE callback.organisation_id = failing.organisation_id
              AND callback.host = failing.host AND next_attempt_at IS NOT NULL LIMIT 100) AS tried
      JOIN callback_attempt ON callback_id = tried.id
      ORDER BY started_at DESC LIMIT 1) AS latest ON true
    WHERE failing.failing_since <= now() - ${forMs}::float8 * interval '1 millisecond'
    ORDER BY failing.failing_since`,
);

/** Of one organisation or of all. */
export const listEndpoints = statement(
  {
    organisation: t.text,
    id: t.uuid,
    url: t.text,
    enabled: t.bool,
    events: t.text,
    description: t.nullable(t.text),
    created: t.timestamp,
    waiting: t.int,
  },
  (organisationId: string | undefined) => sql`
    SELECT account.name || '/' || organisation.mode AS organisation, endpoint.id, endpoint.url, endpoint.enabled,
      array_to_string(endpoint.events, ', ') AS events, endpoint.description, endpoint.created_at AS created,
      (SELECT count(*)::int FROM callback
       WHERE callback.endpoint_id = endpoint.id AND callback.state < 'delivered') AS waiting
    FROM callback_endpoint AS endpoint
    JOIN organisation ON organisation.id = endpoint.organisation_id
    JOIN account ON account.id = organisation.account_id
    WHERE endpoint.organisation_id = coalesce(${organisationId ?? null}::uuid, endpoint.organisation_id)
    ORDER BY account.name, organisation.mode, endpoint.id`,
);

export type Signer = Awaited<ReturnType<typeof findSigners>>[number];

/**
 * The secrets that sign now, those of endpoints too, of one organisation or of all.
 * @param skipped called for a secret that cannot be opened
 */
export async function findSigners(
  database: Database,
  sealer: DataSealer,
  organisationId: string | undefined,
  skipped: (secretId: string, organisation: string) => void,
) {
  const where = {
    OR: [{ retiresAt: null }, { retiresAt: { gt: new Date() } }],
    ...(organisationId !== undefined && { organisationId }),
  };
  const [secrets, ofEndpoints] = await Promise.all([
    database.callbackSecret.findMany({ where, include: withAccount, orderBy: { id: 'desc' } }),
    database.callbackEndpointSecret.findMany({
      where,
      include: { endpoint: { include: withAccount } },
      orderBy: { id: 'desc' },
    }),
  ]);
  const signer = (id: string, organisation: string, open: () => string) => {
    try {
      return [{ organisation, secret: open() }];
    } catch {
      skipped(id, organisation);
      return [];
    }
  };
  return [
    ...secrets.flatMap((row) =>
      signer(row.id, labelOf(row.organisation), () => openCallbackSecret(sealer, row)),
    ),
    ...ofEndpoints.flatMap((row) =>
      signer(row.id, labelOf(row.endpoint.organisation), () => openEndpointSecret(sealer, row)),
    ),
  ];
}
