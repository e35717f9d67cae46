import type { Database, Models } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import type { Organisation } from '../session/find-organisation.js';

type Status = 'active' | 'suspended';

/** A suspended account suspends both its organisations. */
const effectiveStatus = (organisation: { status: Status; account: { status: Status } }): Status =>
  organisation.account.status === 'suspended' ? 'suspended' : organisation.status;

export async function listOrganisations(database: Database) {
  const now = new Date();
  const isValid = [
    { OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] },
    { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
  ];
  const organisations = await database.organisation.findMany({
    include: { account: true, _count: { select: { apiKeys: { where: { AND: isValid } } } } },
    orderBy: [{ account: { name: 'asc' } }, { accountId: 'asc' }, { mode: 'asc' }],
  });
  return organisations.map((organisation) => ({
    id: organisation.id,
    name: organisation.account.name,
    mode: organisation.mode,
    status: effectiveStatus(organisation),
    keys: organisation._count.apiKeys,
    created: organisation.createdAt,
  }));
}

export async function readDetails(database: Database, id: string) {
  const details = await database.organisation.findUniqueOrThrow({
    where: { id },
    include: { account: true },
  });
  return { ...details, status: effectiveStatus(details) };
}

/** If the account is suspended, activates the account and suspends the other organisation instead. */
export async function setStatus(
  database: Database,
  organisations: readonly Organisation[],
  status: Status,
): Promise<void> {
  const [{ accountId } = { accountId: '' }] = organisations;
  const suspended = { id: accountId, status: 'suspended' } as const;
  const updatedAt = new Date();
  await database.$transaction([
    database.organisation.updateMany({
      where: { account: suspended },
      data: { status: 'suspended', updatedAt },
    }),
    database.account.updateMany({ where: suspended, data: { status: 'active' } }),
    database.organisation.updateMany({
      where: { id: { in: organisations.map(({ id }) => id) } },
      data: { status, updatedAt },
    }),
  ]);
}

export const rename = (database: Database, accountId: string, name: string): Promise<void> =>
  database.$transaction(async (models) => {
    await assertNameFree(models, name, accountId);
    await models.account.update({ where: { id: accountId }, data: { name } });
  });

/** Concurrent calls wait until this transaction ends, and then find the name taken. */
export async function assertNameFree(models: Models, name: string, ownId?: string): Promise<void> {
  await models.$executeRaw`LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`;
  const found = await models.$queryRaw<unknown[]>`
    SELECT id FROM account WHERE lower(name) = lower(${name}) AND id IS DISTINCT FROM ${ownId ?? null}::uuid LIMIT 1`;
  if (found.length > 0) throw new CommandError(`An account is already called ${name}: choose another name.`);
}
