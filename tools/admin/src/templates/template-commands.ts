import { listTemplates, openProvider, syncTemplates } from '@gangan/management';
import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';

const none = 'No template is known: read them with `pnpm admin templates sync <provider>`.';

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'sync <provider>',
    'read the templates of a WhatsApp account, and whether they are approved',
    ['whatsapp'],
    'Workers apply it within 5 s: messages with a rejected, paused or disabled template are then refused. A pause counts for six hours.',
  ).action(async (name: string) => {
    const provider = await openProvider(await session.database(), session.sealer, name);
    await syncTemplates(await session.access(), name, provider);
    await list(name);
  });

  addCommand(group, 'list', 'list the templates that were read last', ['', '--provider whatsapp'])
    .option('--provider <name>', 'only of this provider')
    .action(({ provider }: { provider?: string }) => list(provider));

  async function list(provider: string | undefined): Promise<void> {
    session.list(await listTemplates(await session.database(), provider), none);
  }
}
