import type { Database } from '@gangan/database';
import {
  type AccountTemplate,
  HttpClients,
  readAccountTemplates,
  type Secrets,
  type WhatsAppSettings,
} from '@gangan/providers';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';

/** A provider whose account may have templates. */
export interface TemplateAccount {
  readonly kind: string;
  readonly organisationId: string | null;
  readonly settings: object;
  readonly secrets: Secrets;
}

/** The templates that were read last. */
export async function listTemplates(database: Database, provider: string | undefined) {
  const rows = await database.providerTemplate.findMany({
    where: { ...(provider !== undefined && { provider }) },
    orderBy: [{ provider: 'asc' }, { name: 'asc' }, { language: 'asc' }],
  });
  return rows.map(({ syncedAt, ...row }) => ({ ...row, synced: syncedAt }));
}

/** Reads the templates of a WhatsApp account, and replaces those that were read before. */
export async function syncTemplates(
  access: Access,
  provider: string,
  { kind, organisationId, settings, secrets }: TemplateAccount,
): Promise<void> {
  const account = settings as WhatsAppSettings;
  if (kind !== 'whatsapp' || account.accountId === undefined) {
    const needs = 'it must be of the kind whatsapp, and know its account';
    throw new Refusal('conflict', `${provider} has no templates: ${needs}`, { next: 'set_account' });
  }
  const clients = new HttpClients();
  let found: readonly AccountTemplate[];
  try {
    found = await readAccountTemplates(account, secrets, clients);
  } catch (cause) {
    throw new Refusal('unavailable', `${(cause as Error).message}.`, { cause });
  } finally {
    await clients.close();
  }
  const syncedAt = new Date();
  const data = found.map((template) => {
    const reason = template.reason?.slice(0, 255) ?? null;
    return { ...template, provider, reason, syncedAt };
  });
  await change(access, 'templates sync', async (models, log) => {
    await models.providerTemplate.deleteMany({ where: { provider } });
    await models.providerTemplate.createMany({ data, skipDuplicates: true });
    await log({ organisationId, target: provider, after: { templates: data.length } });
  });
}
