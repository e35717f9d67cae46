import { type DestinationSettings, parseDestinationSettings } from '@gangan/contracts';
import type { Command } from 'commander';
import { wordList } from '../session/arguments.js';
import { setSettings, type SettingsArea } from '../session/organisation-settings.js';
import { addCommand, type AdminSession } from '../session/session.js';

const area: SettingsArea<DestinationSettings> = { name: 'sms', parse: parseDestinationSettings };

export function addSetCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'set <organisation>',
    'change where an organisation may send messages; effective within 10 s. default resets a setting',
    ['acme/live --countries NG,GH', 'acme/live --countries default'],
    'OTPs have settings of their own: pnpm admin otp set --help',
  )
    .option(
      '--countries <list>',
      'allowed countries, such as NG,GH',
      wordList((text) => text.toUpperCase()),
    )
    .action(async (given: string, options: Record<string, unknown>) => {
      session.show({ countries: listed(await setSettings(session, given, area, options)) });
    });
}

/** The setting, for `organisations show`. */
export function shownCountries(settings: unknown): string {
  const result = parseDestinationSettings((settings as { readonly sms?: unknown }).sms);
  return result.ok ? listed(result.value) : 'none, because the setting is invalid';
}

const listed = ({ countries }: DestinationSettings): string => countries?.join(', ') ?? 'all';
