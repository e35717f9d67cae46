import { formatQuietHours, parseQuietHours } from '@gangan/contracts';
import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { changeSettings } from '../session/organisation-settings.js';
import { addCommand, type AdminSession } from '../session/session.js';

const none = 'none';

export function addQuietHoursCommand(group: Command, session: AdminSession): void {
  const description = 'hold promotional messages that are due in these hours until the hours end';
  const examples = ['acme/live 22:00-07:00 Africa/Lagos', 'acme/live none'];
  addCommand(group, 'quiet-hours <organisation>', description, examples)
    .argument('<hours>', 'from and to, such as 22:00-07:00, or none')
    .argument('[zone]', 'the time zone, such as Africa/Lagos')
    .action(async (given: string, hours: string, zone: string | undefined) => {
      const wanted = hours === none && zone === undefined ? undefined : quietHours(hours, zone);
      const organisation = await session.organisation(given);
      await changeSettings(session, organisation, 'sms', (sms) =>
        Object.fromEntries(
          Object.entries({ ...sms, quiet_hours: wanted }).filter(([, value]) => value !== undefined),
        ),
      );
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

/** The setting, for `organisations show`. */
export function shownQuietHours(settings: unknown): string {
  const { sms } = settings as { readonly sms?: { readonly quiet_hours?: string } };
  return sms?.quiet_hours ?? none;
}

function quietHours(hours: string, zone: string | undefined): string {
  const parsed = parseQuietHours(`${hours} ${zone ?? ''}`);
  if (parsed) return formatQuietHours(parsed);
  throw new CommandError(
    'Use two different times and a time zone, such as 22:00-07:00 Africa/Lagos, or none.',
  );
}
