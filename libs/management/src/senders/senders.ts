import type { Database } from '@gangan/database';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import type { Organisation } from '../organisations/find-organisation.js';
import { setRule } from '../organisations/organisations.js';
import { Refusal } from '../refusal.js';

/** The registered senders of an organisation. */
export const listSenders = (database: Database, { id }: Pick<Organisation, 'id'>) =>
  database.sender.findMany({ where: { organisationId: id }, orderBy: { name: 'asc' } });

export const addSender = (access: Access, { id, label }: Organisation, name: string) =>
  change(access, 'senders add', async (models, log) => {
    const data = [{ organisationId: id, name }];
    const { count } = await models.sender.createMany({ data, skipDuplicates: true });
    if (count > 0) await log({ organisationId: id, target: label, after: { name } });
  });

export const removeSender = (access: Access, { id, label }: Organisation, name: string) =>
  change(access, 'senders remove', async (models, log) => {
    const { count } = await models.sender.deleteMany({ where: { organisationId: id, name } });
    if (count === 0) throw new Refusal('not_found', `${label} has no sender ${name}.`);
    await log({ organisationId: id, target: label, before: { name } });
  });

/** Allows only the default sender and registered ones, which it returns. */
export async function restrictSenders(access: Access, organisation: Organisation): Promise<string[]> {
  await setRule(access, organisation, 'registeredSendersOnly', true);
  const where = { id: organisation.id };
  const { defaultSender } = await access.database.organisation.findUniqueOrThrow({ where });
  const registered = await listSenders(access.database, organisation);
  return [...new Set([defaultSender, ...registered.map(({ name }) => name)])];
}
