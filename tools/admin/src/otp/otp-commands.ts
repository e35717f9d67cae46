import { numberTypes, type OtpSettings } from '@gangan/contracts';
import { otpSettings, readSettings } from '@gangan/management';
import type { Command } from 'commander';
import { asConfigured, wordList } from '../session/arguments.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { setOptions } from '../session/set-options.js';

const countries = wordList((text) => text.toUpperCase());

const types = wordList((text) => text.toLowerCase());

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'show <organisation>', 'show the OTP settings of an organisation').action(
    async (given: string) => {
      const { database, ...organisation } = await session.organisation(given);
      session.show(rowOf(await readSettings(database, organisation, otpSettings)));
    },
  );

  addCommand(
    group,
    'set <organisation>',
    'change OTP settings; others stay as they are. default resets a setting',
    [
      "acme/live --text 'Acme: {{code}} is your code for {{minutes}} min'",
      'acme/live --countries NG,GH --number-types mobile',
      'acme/live --countries default',
    ],
    'Limits on sending and spending: pnpm admin limits set --help',
  )
    .option('--text <text>', 'text of an OTP, with {{code}} and optionally {{minutes}}')
    .option('--template-name <name>', 'WhatsApp authentication template, as the provider names it')
    .option('--template-language <language>', 'language of that template')
    .option('--countries <list>', 'allowed countries, such as NG,GH', countries)
    .option('--number-types <list>', `allowed number types, of ${numberTypes.join(', ')}`, types)
    .action(async (given: string, options: Record<string, unknown>) => {
      session.show(rowOf(await setOptions(session, given, otpSettings, options)));
    });
}

const rowOf = (settings: OtpSettings): Row => ({
  text: settings.text ?? asConfigured,
  template_name: settings.template_name ?? asConfigured,
  template_language: settings.template_language ?? asConfigured,
  countries: settings.countries?.join(', ') ?? 'all',
  number_types: settings.number_types?.join(', ') ?? 'all',
});
