import { inboundPath } from '@gangan/providers';
import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { ProviderStore } from './provider-store.js';

export function addInboundUrlCommand(group: Command, session: AdminSession): void {
  const store = new ProviderStore(session);
  addCommand(
    group,
    'inbound-url <name>',
    'show the address to which a provider sends delivery reports; it contains a secret token',
    ['termii', 'termii --rotate'],
    'Set it at the provider, after the public address of the gateway (PUBLIC_URL).',
  )
    .option('--rotate', 'replace the token; the provider gets 404 until it has the new address')
    .action(async (name: string, { rotate = false }: { rotate?: boolean }) => {
      if (rotate) await session.confirm(`Replace the token of ${name}? Its reports are refused until then.`);
      const token = await store.change(async (models) => {
        const { organisationId } = await store.get(models, name);
        if (rotate) await store.rotateToken(models, name);
        const opened = await store.openToken(models, name);
        const entry = { organisationId: organisationId ?? undefined, target: name };
        await session.audit(models, { ...entry, ...(rotate && { after: { rotated: true } }) });
        return opened;
      });
      const path = inboundPath(name, token);
      const base = session.settings.variable('PUBLIC_URL')?.replace(/\/$/, '');
      session.show({ name, path, url: base === undefined ? undefined : `${base}${path}` });
    });
}
