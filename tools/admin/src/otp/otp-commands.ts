import { numberTypes, type OtpSettings, parseOtpSettings } from '@gangan/contracts';
import { command, type Database, json, sql, statement, type Statements } from '@gangan/database';
import type { Command } from 'commander';
import { asConfigured, changesFrom } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

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
    .option('--template-language <language>', 'of that template')
    .option('--countries <list>', 'allowed countries, such as NG,GH', countries)
    .option('--number-types <list>', `allowed number types, of ${numberTypes.join(', ')}`, types)
    .action(async (given: string, options: Record<string, unknown>) => {
      const changes = changesFrom(options, 'setting', (option) =>
        option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      );
      const { database, id } = await session.organisation(given);
      session.show(rowOf(await database.transaction((transaction) => change(transaction, id, changes))));
    });
}

const lockSettings = statement(
  { settings: json<Readonly<Record<string, unknown>>>() },
  (id: string) => sql`SELECT settings FROM organisation WHERE id = ${id} FOR UPDATE`,
);

const storeSettings = command(
  (id: string, settings: object) => sql`
    UPDATE organisation SET updated_at = now(),
      settings = jsonb_set(settings, '{otp}', ${JSON.stringify(settings)}::jsonb)
    WHERE id = ${id}`,
);

async function change(transaction: Statements, id: string, changes: object): Promise<OtpSettings> {
  const [row] = await transaction.run(lockSettings, id);
  const merged = { ...(row?.settings['otp'] as object | null | undefined), ...changes };
  const settings = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  const checked = parseOtpSettings(settings);
  if (!checked.ok) throw new CommandError(checked.errors.map(({ message }) => message).join('; '));
  await transaction.run(storeSettings, id, settings);
  return checked.value;
}

async function readSettings(database: Database, id: string): Promise<OtpSettings> {
  const { settings } = await database.organisation.findUniqueOrThrow({
    where: { id },
    select: { settings: true },
  });
  const result = parseOtpSettings((settings as Readonly<Record<string, unknown>>)['otp']);
  if (result.ok) return result.value;
  const faults = result.errors.map(({ message }) => message).join('; ');
  throw new CommandError(`The stored settings are invalid: ${faults}`);
}

const rowOf = (settings: OtpSettings): Row => ({
  text: settings.text ?? asConfigured,
  template_name: settings.template_name ?? asConfigured,
  template_language: settings.template_language ?? asConfigured,
  countries: settings.countries?.join(', ') ?? 'all',
  number_types: settings.number_types?.join(', ') ?? 'all',
});
