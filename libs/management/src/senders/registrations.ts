import type { Database, Models, SenderStatus } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Access } from '../access.js';
import type { AuditEntry } from '../audit.js';
import { labelOf, type Organisation, withAccount } from '../organisations/find-organisation.js';
import { changeProviders, findProviderRow } from '../providers/stored-provider.js';
import { Refusal } from '../refusal.js';

/** A sender as it is registered at a provider, for one organisation or all. */
export interface SenderKey {
  readonly provider: string;
  readonly sender: string;
  readonly organisation?: Pick<Organisation, 'id' | 'label'> | undefined;
}

interface Registration {
  /** What the provider gets instead of the sender. */
  readonly originator: string | null;
  readonly status: SenderStatus;
  readonly note: string | null;
}

export interface RegistrationFilter {
  readonly provider?: string;
  readonly sender?: string;
  readonly status?: SenderStatus;
}

export async function listRegistrations(database: Database, where: RegistrationFilter) {
  const rows = await database.senderRegistration.findMany({
    where,
    include: withAccount,
    orderBy: [{ provider: 'asc' }, { sender: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ provider, sender, organisation, originator, status, note, updatedAt, createdAt }) => ({
    ...{ provider, sender, organisation: organisation ? labelOf(organisation) : 'any' },
    ...{ originator, status, note, changed: updatedAt ?? createdAt },
  }));
}

export const registerSender = (access: Access, key: SenderKey, registration: Registration) =>
  changeProviders(access, 'senders register', async (models, log) => {
    const { organisationId } = await findProviderRow(models, key.provider);
    if (organisationId !== null && key.organisation && organisationId !== key.organisation.id)
      throw new Refusal('conflict', `${key.provider} belongs to another organisation.`);
    const existing = await models.senderRegistration.findFirst({ where: columnsOf(key) });
    if (existing)
      throw new Refusal('conflict', `${describeSender(key)} is ${existing.status}`, {
        next: 'decide_sender',
      });
    await models.senderRegistration.create({ data: { id: newId(), ...columnsOf(key), ...registration } });
    await log(entryOf(key, undefined, registration));
  });

/** Stores what the provider has decided. Without a note the one before stays. */
export const decideSender = (
  access: Access,
  key: SenderKey,
  status: 'approved' | 'rejected',
  note: string | undefined,
) =>
  changeProviders(access, `senders ${status === 'approved' ? 'approve' : 'reject'}`, async (models, log) => {
    const { id, ...before } = await find(models, key);
    const data = { status, note: note ?? before.note };
    await models.senderRegistration.update({ where: { id }, data: { ...data, updatedAt: new Date() } });
    await log(entryOf(key, before, { ...before, ...data }));
  });

export const unregisterSender = (access: Access, key: SenderKey) =>
  changeProviders(access, 'senders unregister', async (models, log) => {
    const { id, ...before } = await find(models, key);
    await models.senderRegistration.delete({ where: { id } });
    await log(entryOf(key, before, undefined));
  });

export const describeSender = ({ provider, sender, organisation }: SenderKey): string =>
  `The sender ${sender} at ${provider}${organisation ? ` for ${organisation.label}` : ''}`;

const columnsOf = ({ provider, sender, organisation }: SenderKey) => ({
  provider,
  sender,
  organisationId: organisation?.id ?? null,
});

function entryOf(
  key: SenderKey,
  before: Registration | undefined,
  after: Registration | undefined,
): AuditEntry {
  const [earlier, later] = [before, after].map(
    (registration) =>
      registration && {
        originator: registration.originator,
        status: registration.status,
        note: registration.note,
      },
  );
  const target = `${key.provider} ${key.sender}`;
  return { organisationId: key.organisation?.id, target, before: earlier, after: later };
}

async function find(models: Models, key: SenderKey) {
  const found = await models.senderRegistration.findFirst({ where: columnsOf(key) });
  if (found) return found;
  throw new Refusal('not_found', `${describeSender(key)} is not registered`, { next: 'list_registrations' });
}
