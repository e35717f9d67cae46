import type { Models, Prisma } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { sealSecrets } from '@gangan/providers';
import { changesAccount, leaveAccount } from '../airtime/provider-account.js';
import type { WriteAudit } from '../audit.js';
import { Refusal } from '../refusal.js';
import { targetFault } from '../routes/message-routes.js';
import {
  describeProvider,
  findDifferences,
  findFaults,
  type ProviderChanges,
  type ProviderDefinition,
  sendsReports,
  withProviderChanges,
} from './definition.js';
import { sealAgain } from './inbound-token.js';
import {
  changeProviders,
  findProvider,
  type FoundProvider,
  readProvider,
  requireSecrets,
  type SealedAccess,
  type SealerReader,
} from './stored-provider.js';

export const addProvider = (access: SealedAccess, definition: ProviderDefinition) =>
  changeProviders(access, 'providers add', async (models, log) => {
    const { name } = definition;
    if (await readProvider(models, access.sealer, name))
      throw new Refusal('conflict', `There is a provider ${name}`, { next: 'set_provider' });
    await saveProvider({ ...access, models, log }, undefined, definition);
  });

/** @returns what was changed, one line each */
export const setProvider = (
  access: SealedAccess,
  name: string,
  changes: ProviderChanges,
  action = 'providers set',
) =>
  changeProviders(access, action, async (models, log) => {
    const before = await findProvider(models, access.sealer, name);
    // Secrets that cannot be opened are replaced if all of them are given; otherwise the settings lack some.
    const isReplaced = Object.values(changes.secrets ?? {}).some((value) => value !== null);
    const after = withProviderChanges(isReplaced ? before : requireSecrets(before), changes);
    return saveProvider({ ...access, models, log }, before, after);
  });

/** @returns what was changed */
export const enableProvider = (access: SealedAccess, name: string) =>
  setProvider(access, name, { enabled: true }, 'providers enable');

/** Needs neither valid settings nor readable secrets, so that a broken provider can be disabled. @returns what was changed */
export const disableProvider = (access: SealedAccess, name: string) =>
  changeProviders(access, 'providers disable', async (models, log) => {
    const before = await findProvider(models, access.sealer, name);
    if (!before.enabled) return [];
    const { id, organisationId } = before;
    await models.provider.update({ where: { id }, data: { enabled: false, updatedAt: new Date() } });
    const [earlier, later] = [before, { ...before, enabled: false }].map(describeProvider);
    await log({ organisationId, target: name, before: earlier, after: later });
    return ['enabled: true → false'];
  });

/** Removes a provider that no route uses, its secrets, and the registrations of senders. */
export const removeProvider = (access: SealedAccess, name: string) =>
  changeProviders(access, 'providers remove', async (models, log) => {
    const before = await findProvider(models, access.sealer, name);
    const { id, organisationId } = before;
    const where = { providerId: id };
    const routes = (await models.routeTarget.count({ where })) + (await models.airtimeRoute.count({ where }));
    if (routes > 0) {
      const users = routes === 1 ? 'a route' : `${routes} routes`;
      throw new Refusal('conflict', `${name} is used by ${users}: remove them first, or disable it.`);
    }
    if (before.domain === 'airtime') await leaveAccount(models, name);
    await models.senderRegistration.deleteMany({ where: { provider: name } });
    await models.providerTemplate.deleteMany({ where: { provider: name } });
    await models.provider.delete({ where: { id } });
    await log({ organisationId, target: name, before: describeProvider(before) });
  });

/** What a provider is stored with, in a transaction that has locked providers. */
export interface ProviderChange {
  readonly models: Models;
  readonly log: WriteAudit;
  readonly sealer: SealerReader;
}

/**
 * Stores a provider and its entry in the audit log.
 * @param before the stored provider, read in the same transaction; absent if it is added
 * @returns what was changed; nothing is stored if nothing differs
 * @throws Refusal that names every fault
 */
export async function saveProvider(
  { models, log, sealer }: ProviderChange,
  before: FoundProvider | undefined,
  after: ProviderDefinition,
): Promise<readonly string[]> {
  const { name, organisationId, kind, domain, enabled, rate, window, registeredSenders } = after;
  const faults = [...findFaults(after), ...(before ? await routeFaults(models, before.id, after) : [])];
  if (faults.length > 0) throw new Refusal('invalid', `${name} cannot be used: ${faults.join('; ')}.`);
  const differences = findDifferences(before, after);
  if (differences.length === 0) return [];
  if (before?.domain === 'airtime' && changesAccount(differences)) await leaveAccount(models, name);
  const id = before?.id ?? newId();
  const owner = { id, organisationId, domains: [domain] };
  const secrets = Object.keys(after.secrets).length > 0 && sealSecrets(await sealer(), owner, after.secrets);
  const data = {
    ...{ ...owner, name, kind, enabled, rate, window, registeredSenders },
    channels: [...after.channels],
    settings: after.settings as Prisma.InputJsonObject,
    sealedSecrets: secrets ? Uint8Array.from(secrets) : null,
    sealedToken: sendsReports(after) ? await sealAgain(sealer, owner, before) : null,
  };
  const updatedAt = new Date();
  await models.provider.upsert({ where: { id }, create: data, update: { ...data, updatedAt } });
  // The health was observed with the old settings.
  await models.providerHealth.deleteMany({ where: { providerId: id } });
  const changed_secrets = differences.filter((line) => line.startsWith('secrets'));
  await log({
    organisationId,
    target: name,
    before: before && describeProvider(before),
    after: { ...describeProvider(after), ...(changed_secrets.length > 0 && { changed_secrets }) },
  });
  return differences;
}

/** A change must not make a provider unusable for its routes. */
async function routeFaults(models: Models, providerId: string, after: ProviderDefinition): Promise<string[]> {
  const routes = await models.route.findMany({ where: { targets: { some: { providerId } } } });
  const faults = routes.flatMap((route) => targetFault(after, route) ?? []);
  return [...new Set(faults)].map((fault) => `a route uses it, but it ${fault}: change the route first`);
}
