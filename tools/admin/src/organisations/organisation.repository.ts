import { type Database, type Models, sql } from '@gangan/database';
import type { Row } from '../session/print.js';
import { CommandError } from '../session/command-error.js';
import type { Organisation } from './find-organisation.js';

export const listOrganisations = (database: Database): Promise<Row[]> =>
  database.query<Row>(sql`
    SELECT o.id, a.name, o.mode, ${status} AS status, count(k.id)::int AS keys, o.created_at AS created
    FROM organisation o
    JOIN account a ON a.id = o.account_id
    LEFT JOIN api_key k ON k.organisation_id = o.id
      AND (k.revoked_at IS NULL OR k.revoked_at > now()) AND (k.expires_at IS NULL OR k.expires_at > now())
    GROUP BY o.id, a.id ORDER BY a.name, a.id, o.mode`);

export interface OrganisationDetails {
  readonly status: string;
  readonly sender: string;
  readonly registeredSendersOnly: boolean;
  readonly created: Date;
}

export async function detailsOf(database: Database, { id }: Organisation): Promise<OrganisationDetails> {
  const [details] = await database.query<OrganisationDetails>(sql`
    SELECT ${status} AS status, o.default_sender AS sender,
           o.registered_senders_only AS "registeredSendersOnly", o.created_at AS created
    FROM organisation o JOIN account a ON a.id = o.account_id WHERE o.id = ${id}`);
  return details as OrganisationDetails;
}

/** An account that is suspended takes both its organisations with it. */
const status = sql`CASE WHEN 'suspended' IN (o.status, a.status) THEN 'suspended' ELSE 'active' END`;

/** Activating one also lifts a suspension of the account, and suspends its sibling instead: only what was asked for changes. */
export async function setStatus(
  database: Database,
  organisations: readonly Organisation[],
  wanted: 'active' | 'suspended',
): Promise<void> {
  const [{ accountId } = { accountId: '' }] = organisations;
  const ids = organisations.map(({ id }) => id);
  await database.transaction(async (transaction) => {
    await transaction.execute(sql`
      UPDATE organisation o SET status = 'suspended', updated_at = now() FROM account a
      WHERE a.id = ${accountId} AND o.account_id = a.id AND a.status = 'suspended'`);
    await transaction.execute(sql`
      UPDATE account SET status = 'active' WHERE id = ${accountId} AND status = 'suspended'`);
    await transaction.execute(sql`
      UPDATE organisation SET status = ${wanted}, updated_at = now() WHERE id = ANY(${ids}::uuid[])`);
  });
}

export const rename = (database: Database, accountId: string, name: string): Promise<void> =>
  database.$transaction(async (models) => {
    await refuseTaken(models, name, accountId);
    await models.account.update({ where: { id: accountId }, data: { name } });
  });

/**
 * Whoever names an account at the same time waits until this transaction ends, and then finds the name taken.
 * @throws CommandError when another account is called so
 */
export async function refuseTaken(models: Models, name: string, ownId?: string): Promise<void> {
  await models.$executeRaw`LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`;
  const found = await models.$queryRaw<unknown[]>`
    SELECT id FROM account WHERE lower(name) = lower(${name}) AND id IS DISTINCT FROM ${ownId ?? null}::uuid LIMIT 1`;
  if (found.length > 0) throw new CommandError(`An account is called ${name} already: choose another name.`);
}
