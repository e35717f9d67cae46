import { type Database, RetentionKind } from '@gangan/database';
import { Argument, type Command } from 'commander';
import { wholeNumber } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface KindRules {
  /** The variable of the apps, its default, and how many days a value of it has. */
  readonly variable: string;
  readonly fallback: string;
  readonly minDays: number;
}

/** The limits of wrong tokens count for 24 hours, so OTPs are kept for at least two days. */
const rules: Readonly<Record<RetentionKind, KindRules>> = {
  messages: { variable: 'MESSAGES_KEPT_DAYS', fallback: '90', minDays: 1 },
  otps: { variable: 'OTP_KEPT_DAYS', fallback: '30', minDays: 2 },
  callbacks: { variable: 'CALLBACK_KEPT_DAYS', fallback: '30', minDays: 1 },
  imports: { variable: 'CONTACT_IMPORT_KEPT_FOR', fallback: '720h', minDays: 1 },
};

const kinds = Object.values(RetentionKind);
const kindArgument = () => new Argument('<kind>').choices(kinds);

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
    session.list(await effective(session, database, id), '');
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
      const { minDays, variable } = rules[kind];
      const configured = configuredDays(session, kind);
      if (days < minDays) throw new CommandError(`${kind} are kept for at least ${minDays} days.`);
      if (days > configured)
        throw new CommandError(
          `All organisations keep ${kind} for ${configured} days (${variable}): an organisation can only have less. Raise ${variable} of the apps and of this command first.`,
        );
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
  const { database, id: organisationId, label } = await session.organisation(given);
  await database.$transaction(async (models) => {
    const key = { kind_organisationId: { kind, organisationId } };
    const before = await models.organisationRetention.findUnique({ where: key });
    if (days === before?.days) return;
    if (days === undefined) await models.organisationRetention.delete({ where: key });
    else
      await models.organisationRetention.upsert({
        where: key,
        create: { kind, organisationId, days },
        update: { days },
      });
    await session.audit(models, {
      organisationId,
      target: `${label} ${kind}`,
      before: { days: before?.days },
      after: { days },
    });
  });
  session.list(await effective(session, database, organisationId), '');
}

async function effective(session: AdminSession, database: Database, organisationId: string): Promise<Row[]> {
  const own = await database.organisationRetention.findMany({ where: { organisationId } });
  return kinds.map((kind) => {
    const configured = configuredDays(session, kind);
    const { days } = own.find((row) => row.kind === kind) ?? {};
    const isOwn = days !== undefined && days < configured;
    return { kind, days: isOwn ? days : configured, source: isOwn ? 'organisation' : rules[kind].variable };
  });
}

/** Days, or a duration in hours; anything else is for the apps to refuse. */
function configuredDays({ settings }: AdminSession, kind: RetentionKind): number {
  const { variable, fallback } = rules[kind];
  const given = settings.variable(variable) ?? fallback;
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d)?$/.exec(given) ?? [];
  const unitsPerDay: Readonly<Record<string, number>> = { '': 1, d: 1, h: 24, m: 1_440, s: 86_400 };
  const days = Math.ceil(Number(count) / (unitsPerDay[unit] ?? 1));
  if (count !== '' && days > 0) return days;
  throw new CommandError(`${variable} is ${given}: give this command the value of the apps.`);
}
