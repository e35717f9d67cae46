import type { DestinationSettings } from '@gangan/contracts';
import { destinationSettings } from '@gangan/management';
import type { Command } from 'commander';
import { wordList } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { setOptions } from '../session/set-options.js';

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
      const settings = await setOptions(session, given, destinationSettings, options);
      session.show({ countries: listedCountries(settings) });
    });
}

export const listedCountries = ({ countries }: DestinationSettings): string => countries?.join(', ') ?? 'all';
