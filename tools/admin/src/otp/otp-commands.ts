import { numberTypes, type OtpSettings, parseOtpSettings } from '@gangan/contracts';
import type { Statements } from '@gangan/database';
import { sql } from '@gangan/database';
import { type Command, InvalidArgumentError } from 'commander';
import { asConfigured } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import type { Row } from '../session/print.js';
import { CommandError } from '../session/command-error.js';
import { findOrganisation } from '../organisations/find-organisation.js';

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const countries = (text: string): string[] | string =>
  text === asConfigured ? text : list(text.toUpperCase());

const types = (text: string): string[] | string => (text === asConfigured ? text : list(text.toLowerCase()));

export function addOtpCommands(group: Command, session: AdminSession): void {
  group
    .command('show')
    .description('how the OTPs of an organisation look, and where they may go')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin otp show acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id } = await findOrganisation(database, given);
      session.show(rowOf(await settingsOf(database, id)));
    });

  group
    .command('set')
    .description('change how OTPs look and where they may go; what is not named stays, default takes it back')
    .argument('<organisation>')
    .option('--text <text>', 'what an OTP says: with {{code}}, and {{minutes}} if you like')
    .option('--template-name <name>', 'the authentication template on WhatsApp, as the carrier knows it')
    .option('--template-language <language>', 'of that template')
    .option('--countries <list>', 'the only ones that OTPs go to, such as NG,GH', countries)
    .option('--number-types <list>', `the only ones that OTPs go to, of ${numberTypes.join(', ')}`, types)
    .addHelpText(
      'after',
      `
How much may be sent and spent is a limit: pnpm admin limits set --help

Examples:
  pnpm admin otp set acme/live --text 'Acme: {{code}} is your code for {{minutes}} min'
  pnpm admin otp set acme/live --countries NG,GH --number-types mobile
  pnpm admin otp set acme/live --countries default`,
    )
    .action(async (given: string, options: Readonly<Record<string, string | string[]>>) => {
      const wanted = wantedOf(options);
      if (Object.keys(wanted).length === 0) {
        throw new InvalidArgumentError('Name at least one setting; --help lists them.');
      }
      const database = await session.database();
      const { id } = await findOrganisation(database, given);
      session.show(rowOf(await database.transaction((transaction) => change(transaction, id, wanted))));
    });
}

/** `null` takes a setting back. */
type Wish = Readonly<Record<string, unknown>>;

const wantedOf = (options: Readonly<Record<string, string | string[]>>): Wish =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value === asConfigured ? null : value,
    ]),
  );

async function change(transaction: Statements, organisationId: string, wanted: Wish): Promise<OtpSettings> {
  await transaction.query(sql`SELECT id FROM organisation WHERE id = ${organisationId} FOR UPDATE`);
  const merged = { ...((await storedOf(transaction, organisationId)) as object | null), ...wanted };
  const settings = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  const checked = parseOtpSettings(settings);
  if (!checked.ok) throw new CommandError(checked.errors.map(({ message }) => message).join('; '));
  await transaction.execute(sql`
    UPDATE organisation SET updated_at = now(),
      settings = jsonb_set(settings, '{otp}', ${JSON.stringify(settings)}::jsonb)
    WHERE id = ${organisationId}`);
  return checked.value;
}

async function settingsOf(statements: Pick<Statements, 'query'>, id: string): Promise<OtpSettings> {
  const result = parseOtpSettings(await storedOf(statements, id));
  if (result.ok) return result.value;
  throw new CommandError(
    `What is stored cannot be used: ${result.errors.map(({ message }) => message).join('; ')}`,
  );
}

/** Told as it is, `null` too: the worker takes only what is absent for nothing stored. */
async function storedOf(statements: Pick<Statements, 'query'>, id: string): Promise<unknown> {
  const [row] = await statements.query<{ settings: Readonly<Record<string, unknown>> }>(
    sql`SELECT settings FROM organisation WHERE id = ${id}`,
  );
  return row?.settings['otp'];
}

const rowOf = (settings: OtpSettings): Row => ({
  text: settings.text ?? asConfigured,
  template_name: settings.template_name ?? asConfigured,
  template_language: settings.template_language ?? asConfigured,
  countries: settings.countries?.join(', ') ?? 'all',
  number_types: settings.number_types?.join(', ') ?? 'all',
});
