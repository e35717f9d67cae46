import { findProviderRow, readInboundPath } from '@gangan/management';
import { messageSettings, usesReportUrl } from '@gangan/providers';
import type { Command } from 'commander';
import { invalid, wholeNumber } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';

export function addInboundUrlCommand(group: Command, session: AdminSession): void {
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
        const { kind, settings } = await findProviderRow(await session.database(), name);
        const refused = usesReportUrl(messageSettings(kind, settings as object))
          ? 'Reports about messages that were sent before are refused'
          : 'Its reports are refused until it has the new address';
        const consequence =
          keep === 0
            ? `${refused}; --keep accepts the old one for a while`
            : `The old one is accepted for ${keep} h`;
        await session.confirm(`Replace the token of ${name}? ${consequence}.`);
      }
      const rotation = rotate ? { keptMs: keep * 3_600_000 } : undefined;
      const path = await readInboundPath(await session.access(), name, rotation);
      const base = session.settings.variable('PUBLIC_URL')?.replace(/\/$/, '');
      session.show({ name, path, url: base === undefined ? undefined : `${base}${path}` });
    });
}
