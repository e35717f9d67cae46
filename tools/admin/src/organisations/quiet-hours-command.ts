import { findEndlessWith, formatQuietHours, parseQuietHours } from '@gangan/contracts';
import { Argument, type Command } from 'commander';
import { plainText } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import type { Organisation } from '../session/find-organisation.js';
import { changeSettings } from '../session/organisation-settings.js';
import { addCommand, type AdminSession } from '../session/session.js';

const none = 'none';

interface SmsSettings {
  readonly quiet_hours?: string;
  readonly national_quiet_hours?: 'ignored';
  readonly national_quiet_hours_note?: string;
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
      await change(session, organisation, { quiet_hours: wanted });
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
      if (organisation.mode === 'test')
        throw new CommandError(`${organisation.label} is a test organisation: no hours of a country apply.`);
      const isIgnored = what === 'ignore';
      if (isIgnored && note === undefined)
        throw new CommandError('Say with --note why the organisation may send at night.');
      await change(session, organisation, {
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
export function shownQuietHours({ mode, settings }: { readonly mode: string; readonly settings: unknown }) {
  const { sms = {} } = settings as { readonly sms?: SmsSettings };
  const isIgnored = mode === 'test' || sms.national_quiet_hours === 'ignored';
  return {
    quiet_hours: sms.quiet_hours ?? none,
    national_quiet_hours: isIgnored ? 'ignored' : 'applied',
    ...(sms.national_quiet_hours_note !== undefined && {
      national_quiet_hours_note: sms.national_quiet_hours_note,
    }),
  };
}

function change(
  session: AdminSession,
  organisation: Organisation,
  changes: { readonly [Name in keyof SmsSettings]: SmsSettings[Name] | undefined },
): Promise<void> {
  return changeSettings(session, organisation, 'sms', (sms) => {
    const changed = Object.fromEntries(
      Object.entries({ ...sms, ...changes }).filter(([, value]) => value !== undefined),
    );
    checkTogether(organisation, changed);
    return changed;
  });
}

/** @throws CommandError if the hours leave no time at which a promotional SMS is sent */
function checkTogether({ mode }: Organisation, sms: SmsSettings): void {
  const own = parseQuietHours(sms.quiet_hours ?? '');
  if (!own || mode === 'test' || sms.national_quiet_hours === 'ignored') return;
  const endless = findEndlessWith(own);
  if (endless)
    throw new CommandError(
      `With ${formatQuietHours(own)}, promotional SMS to a country with the quiet hours ${formatQuietHours(endless)} would never be sent: choose other hours.`,
    );
}

function quietHours(hours: string, zone: string | undefined): string {
  const parsed = parseQuietHours(`${hours} ${zone ?? ''}`);
  if (parsed) return formatQuietHours(parsed);
  throw new CommandError(
    'Use two different times and a time zone, such as 22:00-07:00 Africa/Lagos, or none.',
  );
}
