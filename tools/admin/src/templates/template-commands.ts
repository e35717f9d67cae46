import {
  type AccountTemplate,
  HttpClients,
  readAccountTemplates,
  type WhatsAppSettings,
} from '@gangan/providers';
import type { Command } from 'commander';
import { ProviderStore, withSecrets } from '../providers/provider-store.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';

const none = 'No template is known: read them with `pnpm admin templates sync <provider>`.';

export function addCommands(group: Command, session: AdminSession): void {
  const store = new ProviderStore(session);

  addCommand(
    group,
    'sync <provider>',
    'read the templates of a WhatsApp account, and whether they are approved',
    ['whatsapp'],
    'Workers apply it within 5 s: messages with a rejected, paused or disabled template are then refused. A pause counts for six hours.',
  ).action(async (name: string) => {
    const database = await session.database();
    const provider = withSecrets(name, await store.get(database, name));
    const settings = provider.settings as unknown as WhatsAppSettings;
    if (provider.kind !== 'whatsapp' || settings.accountId === undefined)
      throw new CommandError(
        `${name} has no templates: it must be of the kind whatsapp, and know its account (--set accountId=…).`,
      );
    const clients = new HttpClients();
    let found: readonly AccountTemplate[];
    try {
      found = await readAccountTemplates(settings, provider.secrets, clients);
    } catch (error) {
      throw new CommandError(`${(error as Error).message}.`, { cause: error });
    } finally {
      await clients.close();
    }
    const syncedAt = new Date();
    const data = found.map((template) => ({
      ...template,
      provider: name,
      reason: template.reason?.slice(0, 255) ?? null,
      syncedAt,
    }));
    await database.$transaction(async (models) => {
      await models.providerTemplate.deleteMany({ where: { provider: name } });
      await models.providerTemplate.createMany({ data, skipDuplicates: true });
      const { organisationId } = provider;
      await session.audit(models, {
        organisationId: organisationId ?? undefined,
        target: name,
        after: { templates: data.length },
      });
    });
    await list(name);
  });

  addCommand(group, 'list', 'list the templates that were read last', ['', '--provider whatsapp'])
    .option('--provider <name>', 'only of this provider')
    .action(({ provider }: { provider?: string }) => list(provider));

  async function list(provider: string | undefined): Promise<void> {
    const database = await session.database();
    const rows = await database.providerTemplate.findMany({
      where: { ...(provider !== undefined && { provider }) },
      orderBy: [{ provider: 'asc' }, { name: 'asc' }, { language: 'asc' }],
    });
    session.list(
      rows.map(({ syncedAt, ...row }) => ({ ...row, synced: syncedAt })),
      none,
    );
  }
}
