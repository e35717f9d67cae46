import { numberTypes, type OtpSettings, parseOtpSettings } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import type { Command } from 'commander';
import { asConfigured, changesFrom } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { changeSettings } from '../session/organisation-settings.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

const list = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || []);

const countries = (text: string): string[] | string =>
  text === asConfigured ? text : list(text.toUpperCase());

const types = (text: string): string[] | string => (text === asConfigured ? text : list(text.toLowerCase()));

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'show <organisation>', 'show the OTP settings of an organisation').action(
    async (given: string) => {
      const { database, id } = await session.organisation(given);
      session.show(rowOf(await readSettings(database, id)));
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
      const changes = changesFrom(options, 'setting', (option) =>
        option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      );
      const { database, ...organisation } = await session.organisation(given);
      await changeSettings(session, organisation, 'otp', (stored) => {
        const given = Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null);
        const otp = Object.fromEntries(given);
        parse(otp);
        return otp;
      });
      session.show(rowOf(await readSettings(database, organisation.id)));
    });
}

async function readSettings(database: Database, id: string): Promise<OtpSettings> {
  const { settings } = await database.organisation.findUniqueOrThrow({ where: { id } });
  return parse((settings as { otp?: unknown }).otp, 'The stored settings are invalid: ');
}

/** @throws CommandError with all faults */
function parse(settings: unknown, prefix = ''): OtpSettings {
  const result = parseOtpSettings(settings);
  if (result.ok) return result.value;
  throw new CommandError(prefix + result.errors.map(({ message }) => message).join('; '));
}

const rowOf = (settings: OtpSettings): Row => ({
  text: settings.text ?? asConfigured,
  template_name: settings.template_name ?? asConfigured,
  template_language: settings.template_language ?? asConfigured,
  countries: settings.countries?.join(', ') ?? 'all',
  number_types: settings.number_types?.join(', ') ?? 'all',
});
