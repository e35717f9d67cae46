import { callbackRuleError } from '@gangan/contracts';
import { columnsOf, command, type Database, sql, type Sql, statement, t } from '@gangan/database';
import { parseUrl } from '@gangan/protocol';
import type { Access } from '../access.js';
import { audit } from '../audit.js';
import type { Organisation } from '../organisations/find-organisation.js';

/** Callbacks that failed in a period, of one organisation or of all. */
export interface FailedCallbacks {
  readonly since: Date;
  readonly until: Date;
  readonly organisation: Pick<Organisation, 'id' | 'label'> | undefined;
}

const batchSize = 1_000;

const isAmong = ({ since, until, organisation }: FailedCallbacks): Sql => sql`
  state = 'failed' AND ended_at >= ${since} AND ended_at <= ${until}
  AND organisation_id = coalesce(${organisation?.id ?? null}::uuid, organisation_id)`;

const countFailures = statement(
  { callbacks: t.int, hosts: t.int },
  (failed: FailedCallbacks) => sql`
    SELECT count(*)::int AS callbacks, count(DISTINCT (organisation_id, host))::int AS hosts
    FROM callback WHERE ${isAmong(failed)}`,
);

/** Their number, and that of the hosts that did not accept them. */
export const countFailedCallbacks = async (database: Database, failed: FailedCallbacks) =>
  (await database.run(countFailures, failed))[0] ?? { callbacks: 0, hosts: 0 };

const recoverBatch = command(
  (failed: FailedCallbacks, overMs: number) => sql`
    UPDATE callback SET state = 'pending', earlier_attempts = attempt, ended_at = NULL, due_since = now(),
      next_attempt_at = now() + random() * ${overMs}::float8 * interval '1 millisecond'
    WHERE id = ANY (ARRAY(
      SELECT id FROM callback WHERE ${isAmong(failed)} ORDER BY ended_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))`,
);

/**
 * Makes them due at random times in the given period, in batches that block no worker. The first batch is committed with
 * the entry in the audit log. Returns their number.
 */
export async function recoverCallbacks(
  { database, principal }: Access,
  failed: FailedCallbacks,
  overMs: number,
): Promise<number> {
  const { since, organisation } = failed;
  const counts = await countFailedCallbacks(database, failed);
  let recovered = 0;
  for (;;) {
    const count = await database.transaction(async (transaction) => {
      const changed = await transaction.run(recoverBatch, failed, overMs);
      if (changed > 0 && recovered === 0)
        await audit(transaction, principal, 'callbacks recover', {
          organisationId: organisation?.id,
          target: organisation?.label ?? 'all organisations',
          after: { ...counts, since, over_minutes: overMs / 60_000 },
        });
      return changed;
    });
    if (count === 0) return recovered;
    recovered += count;
  }
}

const waitsForHost = sql`callback.organisation_id = failing.organisation_id AND callback.host = failing.host
  AND next_attempt_at IS NOT NULL`;

const hostShape = {
  organisation: t.from(sql`account.name || '/' || organisation.mode`, t.text),
  host: t.text,
  failing_since: t.timestamp,
  last_tried: t.from('updated_at', t.timestamp),
  last_result: t.from(
    sql`(SELECT coalesce(status::text, error)
      FROM (SELECT id FROM callback WHERE ${waitsForHost} LIMIT 100) AS tried JOIN callback_attempt ON callback_id = tried.id
      ORDER BY started_at DESC LIMIT 1)`,
    t.nullable(t.text),
  ),
  waiting: t.from(sql`(SELECT count(*)::int FROM callback WHERE ${waitsForHost})`, t.int),
};

const findFailingHosts = statement(
  hostShape,
  (forMs: number) => sql`
    SELECT ${columnsOf(hostShape, 'failing')} FROM callback_host AS failing
    JOIN organisation ON organisation.id = failing.organisation_id
    JOIN account ON account.id = organisation.account_id
    WHERE failing.failing_since <= now() - ${forMs}::float8 * interval '1 millisecond'
    ORDER BY failing.failing_since`,
);

/** Hosts that have accepted no callback for `forMs`, although callbacks were sent. */
export const listFailingHosts = (database: Database, forMs: number) => database.run(findFailingHosts, forMs);

const endpointShape = {
  organisation: t.from(sql`account.name || '/' || organisation.mode`, t.text),
  id: t.uuid,
  url: t.text,
  enabled: t.bool,
  events: t.from(sql`array_to_string(endpoint.events, ', ')`, t.text),
  description: t.nullable(t.text),
  created: t.from('created_at', t.timestamp),
  waiting: t.from(
    sql`(SELECT count(*)::int FROM callback WHERE callback.endpoint_id = endpoint.id AND callback.state < 'delivered')`,
    t.int,
  ),
};

const findEndpoints = statement(
  endpointShape,
  (organisationId: string | null) => sql`
    SELECT ${columnsOf(endpointShape, 'endpoint')}
    FROM callback_endpoint AS endpoint
    JOIN organisation ON organisation.id = endpoint.organisation_id
    JOIN account ON account.id = organisation.account_id
    WHERE endpoint.organisation_id = coalesce(${organisationId}::uuid, endpoint.organisation_id)
    ORDER BY account.name, organisation.mode, endpoint.id`,
);

/** Of one organisation or of all. */
export const listEndpoints = (database: Database, owner: Pick<Organisation, 'id'> | undefined) =>
  database.run(findEndpoints, owner?.id ?? null);

/** The enabled endpoints of an organisation that would get nothing if its callbacks were restricted. */
export async function refusedEndpoints(database: Database, { id }: Pick<Organisation, 'id'>) {
  const where = { organisationId: id, enabled: true };
  const endpoints = await database.callbackEndpoint.findMany({ where, orderBy: { id: 'asc' } });
  return endpoints.filter(({ url }) => callbackRefusal(url) !== undefined);
}

/** Why restricted callbacks could not go there in production, as the end of a sentence. */
export function callbackRefusal(url: string): string | undefined {
  const target = parseUrl(url);
  return target && callbackRuleError(target, { requiresHttps: true });
}
