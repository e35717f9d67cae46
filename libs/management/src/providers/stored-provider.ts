import type { Models, Provider } from '@gangan/database';
import { openSecrets, type SecretOwner, type Secrets } from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';
import type { ProviderDefinition, ShownProvider } from './definition.js';
import type { JsonObject } from './merge.js';

/** Called only for what is sealed: a provider can be shown and disabled without a key. */
export type SealerReader = () => Promise<DataSealer>;

export interface SealedAccess extends Access {
  readonly sealer: SealerReader;
}

/** Like `change`. Other changes of providers and routes wait until it ends; reads do not. */
export const changeProviders: typeof change = (access: Access, action, work) =>
  change(access, action, async (models, log) => {
    await models.$executeRaw`LOCK TABLE provider, route IN SHARE ROW EXCLUSIVE MODE`;
    return work(models, log);
  });

/** The row of a provider. @throws Refusal if there is none */
export async function findProviderRow(models: Models, name: string) {
  const found = await models.provider.findUnique({ where: { name } });
  if (found) return found;
  throw new Refusal('not_found', `There is no provider ${name}`, { next: 'list_providers' });
}

export interface FoundProvider extends ShownProvider, SecretOwner {
  readonly sealedToken: Uint8Array | null;
}

/** @throws Refusal if there is none */
export const findProvider = async (models: Models, sealer: SealerReader, name: string) =>
  openRow(sealer, await findProviderRow(models, name));

/** Undefined if there is none. */
export async function readProvider(models: Models, sealer: SealerReader, name: string) {
  const row = await models.provider.findUnique({ where: { name } });
  return row ? openRow(sealer, row) : undefined;
}

/** @throws Refusal if there is none, or its secrets cannot be opened */
export const openProvider = async (models: Models, sealer: SealerReader, name: string) =>
  requireSecrets(await findProvider(models, sealer, name));

/** @throws Refusal if they cannot be opened */
export function requireSecrets(provider: FoundProvider): FoundProvider & ProviderDefinition {
  const { name, secrets } = provider;
  if (secrets) return { ...provider, secrets };
  const sentence = `The secrets of ${name} cannot be opened: check DATA_MASTER_KEY`;
  throw new Refusal('conflict', sentence, { next: 'replace_secrets', subject: name });
}

async function openRow(sealer: SealerReader, row: Provider): Promise<FoundProvider> {
  const { id, name, organisationId, kind, domains, channels, sealedToken } = row;
  const { enabled, rate, window, registeredSenders } = row;
  const [domain = 'message'] = domains;
  const settings = row.settings as JsonObject;
  const secrets = await tryOpen(sealer, row);
  const others = { enabled, rate, window, registeredSenders, sealedToken };
  return { id, name, organisationId, kind, domain, domains, channels, settings, secrets, ...others };
}

async function tryOpen(sealer: SealerReader, row: Provider): Promise<Secrets | undefined> {
  if (row.sealedSecrets === null) return {};
  try {
    return openSecrets(await sealer(), row, row.sealedSecrets);
  } catch {
    return undefined;
  }
}
