import { RetentionKind } from '@gangan/database';
import { checkRetention, effectiveRetention, setRetention } from '@gangan/management';
import { Argument, type Command } from 'commander';
import { wholeNumber } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';

const kindArgument = () => new Argument('<kind>').choices(Object.values(RetentionKind));

const notes = `Kinds: messages (sent and received), otps, callbacks, imports (of contacts). A value can only be shorter than the time of all
organisations, which the apps have in MESSAGES_KEPT_DAYS, OTP_KEPT_DAYS, CALLBACK_KEPT_DAYS and CONTACT_IMPORT_KEPT_FOR: give this
command the same variables. What is not final is kept in any case. The workers apply a change within ten minutes.`;

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'show <organisation>',
    'show how long data of an organisation is kept, and why',
    undefined,
    notes,
  ).action(async (given: string) => {
    const { database, id } = await session.organisation(given);
    session.list(await effectiveRetention(database, id, session.settings.variable), '');
  });

  addCommand(
    group,
    'set <organisation>',
    'keep data of an organisation for less time than that of others',
    ['acme/live messages 30'],
    notes,
  )
    .addArgument(kindArgument())
    .argument('<days>', 'from the day on which it was created', wholeNumber(1, 3_650))
    .action(async (given: string, kind: RetentionKind, days: number) => {
      checkRetention(kind, days, session.settings.variable);
      await session.confirm(
        `Delete ${kind} of ${given} that are older than ${days} days, within ten minutes?`,
      );
      await change(session, given, kind, days);
    });

  addCommand(group, 'unset <organisation>', 'keep data of an organisation as long as that of others', [
    'acme/live messages',
  ])
    .addArgument(kindArgument())
    .action((given: string, kind: RetentionKind) => change(session, given, kind, undefined));
}

async function change(
  session: AdminSession,
  given: string,
  kind: RetentionKind,
  days: number | undefined,
): Promise<void> {
  const organisation = await session.organisation(given);
  await setRetention(await session.access(), organisation, kind, days);
  const { database, id } = organisation;
  session.list(await effectiveRetention(database, id, session.settings.variable), '');
}
