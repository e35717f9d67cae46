import { inboundPath, messageSettings, usesReportUrl } from '@gangan/providers';
import type { Command } from 'commander';
import { invalid, wholeNumber } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { ProviderStore } from './provider-store.js';

export function addInboundUrlCommand(group: Command, session: AdminSession): void {
  const store = new ProviderStore(session);
  addCommand(
    group,
    'inbound-url <name>',
    'show the address to which a provider sends delivery reports; it contains a secret token',
    ['termii', 'termii --rotate', 'termii --rotate --keep 24'],
    `Set it at the provider, after the public address of the gateway (PUBLIC_URL). A provider whose settings use {report_url} gets an
address with each message, and needs this one only for incoming messages.`,
  )
    .option('--rotate', 'replace the token; the provider gets 404 until it has the new address')
    .option(
      '--keep <hours>',
      'with --rotate: accept the old address for so long, for reports that are under way',
      wholeNumber(1, 24 * 7),
    )
    .action(async (name: string, { rotate = false, keep = 0 }: { rotate?: boolean; keep?: number }) => {
      if (keep > 0 && !rotate) invalid('--keep needs --rotate.');
      if (rotate) {
        const { kind, settings } = await store.get(await session.database(), name);
        const refused = usesReportUrl(messageSettings(kind, settings))
          ? 'Reports about messages that were sent before are refused'
          : 'Its reports are refused until it has the new address';
        const consequence =
          keep === 0
            ? `${refused}; --keep accepts the old one for a while`
            : `The old one is accepted for ${keep} h`;
        await session.confirm(`Replace the token of ${name}? ${consequence}.`);
      }
      const token = await store.change(async (models) => {
        const { organisationId } = await store.get(models, name);
        if (rotate) await store.rotateToken(models, name, keep * 3_600_000);
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
