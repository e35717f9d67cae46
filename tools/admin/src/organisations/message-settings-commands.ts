import {
  formatQuietHours,
  messageCategories,
  type MessageCategory,
  parseQuietHours,
} from '@gangan/contracts';
import { type MessageSettings, setMessageSettings } from '@gangan/management';
import { Argument, type Command } from 'commander';
import { plainText } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';

const none = 'none';
const visibilities = ['shown', 'hidden'] as const;
type Visibility = (typeof visibilities)[number];

export function addDefaultCategoryCommand(group: Command, session: AdminSession): void {
  const categories =
    'set the category of messages that name none; promotional ones are not sent to DND numbers';
  addCommand(group, 'default-category <organisation>', categories, ['acme/live promotional'])
    .addArgument(new Argument('<category>').choices(messageCategories))
    .action(async (given: string, category: MessageCategory) => {
      const organisation = await session.organisation(given);
      const changes = { default_category: category };
      await setMessageSettings(await session.access(), organisation, 'default_category', changes);
      const sentence = `${organisation.label}: messages are ${category} by default; effective within 10 s.`;
      session.done(sentence, { organisation: organisation.id, ...changes });
    });
}

export function addProviderNamesCommand(group: Command, session: AdminSession): void {
  const description = 'show or hide the names of providers in the attempts of GET /sms/{id}';
  addCommand(
    group,
    'provider-names <organisation>',
    description,
    ['acme/live shown'],
    'They are hidden by default, unless SHOW_PROVIDER_NAMES shows them to all organisations.',
  )
    .addArgument(new Argument('<visibility>').choices(visibilities))
    .action(async (given: string, wanted: Visibility) => {
      const organisation = await session.organisation(given);
      const changes = { provider_names: wanted };
      await setMessageSettings(await session.access(), organisation, 'provider_names', changes);
      const sentence = `${organisation.label}: names of providers are ${wanted}; effective within 10 s.`;
      session.done(sentence, { organisation: organisation.id, ...changes });
    });
}

export function addQuietHoursCommand(group: Command, session: AdminSession): void {
  const description = 'hold promotional messages that are due in these hours until the hours end';
  const examples = ['acme/live 22:00-07:00 Africa/Lagos', 'acme/live none'];
  addCommand(group, 'quiet-hours <organisation>', description, examples)
    .argument('<hours>', 'from and to, such as 22:00-07:00, or none')
    .argument('[zone]', 'the time zone, such as Africa/Lagos')
    .action(async (given: string, hours: string, zone: string | undefined) => {
      const wanted = hours === none && zone === undefined ? undefined : quietHours(hours, zone);
      const organisation = await session.organisation(given);
      const changes = { quiet_hours: wanted };
      await setMessageSettings(await session.access(), organisation, 'quiet_hours', changes);
      const sentence =
        wanted === undefined
          ? 'promotional messages are sent at any time'
          : `promotional messages wait from ${wanted}`;
      session.done(`${organisation.label}: ${sentence}; effective within 10 s.`, {
        organisation: organisation.id,
        quiet_hours: wanted ?? none,
      });
    });
}

export function addNationalQuietHoursCommand(group: Command, session: AdminSession): void {
  const description =
    'let promotional SMS be sent in the quiet hours that a country sets, or hold them again';
  const examples = ['acme/live ignore --note "NCC licence 4711"', 'acme/live apply'];
  addCommand(group, 'national-quiet-hours <organisation>', description, examples)
    .addArgument(new Argument('<what>').choices(['apply', 'ignore']))
    .option('--note <text>', 'why it may send in these hours, such as its licence', plainText(255))
    .action(async (given: string, what: 'apply' | 'ignore', { note }: { readonly note?: string }) => {
      const organisation = await session.organisation(given);
      const isIgnored = what === 'ignore';
      if (isIgnored && note === undefined && organisation.mode === 'live')
        throw new CommandError('Say with --note why the organisation may send at night.');
      await setMessageSettings(await session.access(), organisation, 'national_quiet_hours', {
        national_quiet_hours: isIgnored ? 'ignored' : undefined,
        national_quiet_hours_note: isIgnored ? note : undefined,
      });
      const sentence = isIgnored
        ? 'promotional SMS are sent in the quiet hours of a country, too'
        : 'promotional SMS wait for the end of the quiet hours of a country';
      session.done(`${organisation.label}: ${sentence}; effective within 10 s.`, {
        organisation: organisation.id,
        national_quiet_hours: isIgnored ? 'ignored' : 'applied',
      });
    });
}

/** The settings, for `organisations show`. */
export function shownQuietHours(mode: string, sms: MessageSettings) {
  const isIgnored = mode === 'test' || sms.national_quiet_hours === 'ignored';
  return {
    quiet_hours: sms.quiet_hours ?? none,
    national_quiet_hours: isIgnored ? 'ignored' : 'applied',
    ...(sms.national_quiet_hours_note !== undefined && {
      national_quiet_hours_note: sms.national_quiet_hours_note,
    }),
  };
}

function quietHours(hours: string, zone: string | undefined): string {
  const parsed = parseQuietHours(`${hours} ${zone ?? ''}`);
  if (parsed) return formatQuietHours(parsed);
  throw new CommandError(
    'Use two different times and a time zone, such as 22:00-07:00 Africa/Lagos, or none.',
  );
}
