import {
  findUsage,
  type Limits,
  limitsOf,
  sql,
  statement,
  storedSpendLimits,
  type StoredUsage,
} from '@gangan/database';
import { type SpentToday, spentToday } from '@gangan/billing';
import type { Command } from 'commander';
import { changeResult } from '@gangan/management';
import { reportPending } from '../approvals/report-pending.js';
import { effectiveLimits, limitVariables, nameOf } from './effective-limits.js';
import { asConfigured, changesFrom, notNegative, wholeNumber } from '../session/arguments.js';
import { Money, type Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

const upTo = (max: number, what: string) =>
  orConfigured<number | bigint>(
    wholeNumber(0, max, `Use a whole number${what}, 0 to switch the limit off, or default.`),
  );

const readers = {
  number: upTo(2_147_483_647, ''),
  bytes: upTo(999_999_999_999_999, ' of bytes'),
  naira: orConfigured<number | bigint>(notNegative),
};

function orConfigured<T>(read: (text: string) => T) {
  return (text: string): T | typeof asConfigured => (text === asConfigured ? text : read(text));
}

/** What each limits, for the help. */
const meanings: Readonly<Record<keyof Limits, string>> = {
  requestsPerSecond: 'of all keys together',
  requestBurst: 'requests at once',
  otpSendsPerRecipient: 'messages with OTPs to one number in 10 minutes',
  otpSendsPerPrefix: 'messages with OTPs to numbers that differ in the last four digits, in 10 minutes',
  otpTriesPerRecipient: 'wrong tokens for one number in an hour',
  otpDailyTriesPerRecipient: 'wrong tokens for one number in 24 hours',
  dailySpendKobo: 'cost of everything per day (UTC)',
  messageDailySpendKobo: 'cost of messages per day',
  otpDailySpendKobo: 'cost of OTPs per day',
  airtimeDailySpendKobo: 'airtime per day',
  airtimeDailySpendPerRecipientKobo: 'airtime to one number per day',
  airtimeKeyCoolingHours: 'time in which a new key buys no airtime',
  lookupDailySpendKobo: 'cost of lookups per day',
  contactRows: 'contacts',
  storedBytes: 'bytes of contacts, smartlists, unfinished imports and exports',
  unfinishedImports: 'imports that wait; as many may be uploading',
  waitingCallbacks: 'callbacks that wait for delivery',
  responseBytes: 'bytes of responses that are stored for an Idempotency-Key',
  simulatedMessages: 'incoming messages of a test organisation',
};

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'show <organisation>',
    'show the limits that apply to an organisation, and where each comes from',
    ['acme/live'],
    'SOURCE is the organisation (`limits set`), a variable, or the default of that variable. Limits of spending are what `pnpm migrate` stored of their variables. Run it with the variables of the apps for the others.',
  ).action(async (given: string) => {
    const { database, id } = await session.organisation(given);
    const stored = await storedSpendLimits(database);
    const variableOf = (name: string) => stored.get(name)?.toString() ?? session.settings.variable(name);
    session.list(effectiveLimits(await limitsOf(database, id), variableOf), '');
  });

  addCommand(
    group,
    'usage <organisation>',
    'show what an organisation has spent today (UTC), and what it stores',
  ).action(async (given: string) => {
    const { database, id } = await session.organisation(given);
    const [stored] = await database.run(findUsage, id);
    session.show({ ...spentOf(await spentToday(database, id)), ...(stored && storedOf(stored)) });
  });

  const setting = addCommand(
    group,
    'set <organisation>',
    'change limits; others stay as they are. 0 switches a limit off, default uses the configured value',
    [
      'acme/live --requests-per-second 500 --request-burst 1000',
      'acme/live --otp-sends-per-recipient 0 --requests-per-second default',
      'acme/live --contact-rows 20000000 --stored-bytes 107374182400',
      'acme/live --airtime-daily-spend 2000000 --airtime-daily-spend-per-recipient 50000',
    ],
    `If a live organisation could then spend more in a day than now, or buy airtime with a newer key, another operator must approve
the change (exit code 3): see \`pnpm admin approvals\`. A change from or to a default that the database does not know
(AIRTIME_DAILY_SPEND_PER_RECIPIENT, AIRTIME_KEY_COOLING_HOURS) counts as such.`,
  );
  for (const [limit, , , unit] of limitVariables) {
    const flag = `--${nameOf(limit).replaceAll('_', '-')}`;
    setting.option(`${flag} <${unit === 'naira' ? 'naira' : 'n'}>`, meanings[limit], readers[unit]);
  }
  setting.action(async (given: string, options: Record<string, unknown>) => {
    const limits = changesFrom(options, 'limit', (option) =>
      option.includes('ailySpend') ? `${option}Kobo` : option,
    );
    const { database, id, label } = await session.organisation(given);
    await session.nameTarget();
    const changes = Object.fromEntries(
      Object.entries(limits).map(([limit, value]) => [
        limit.endsWith('Kobo') ? `${nameOf(limit)}_kobo` : nameOf(limit),
        value === null ? null : Number(value),
      ]),
    );
    const [result] = await database.run(callSetLimits, id, changes, (await session.access()).principal.name);
    if (result && reportPending(session, result, { organisation: label }, 'No limit has changed')) return;
    session.show(rowOf(await limitsOf(database, id)));
  });
}

const callSetLimits = statement(
  changeResult,
  (id: string, changes: object, actor: string) => sql`
    SELECT result ->> 'state' AS state, (result ->> 'approval')::uuid AS approval
    FROM set_limits(${id}::uuid, ${JSON.stringify(changes)}::jsonb, ${actor}) AS result`,
);

const rowOf = (limits: Limits): Row =>
  Object.fromEntries(
    limitVariables.map(([limit, , , unit]): [string, Row[string]] => {
      const value = limits[limit];
      if (value === null) return [nameOf(limit), asConfigured];
      return [nameOf(limit), unit === 'naira' ? new Money(BigInt(value)) : Number(value)];
    }),
  );

const spentOf = ({ message, otp, airtime, lookup }: SpentToday): Row => ({
  spent_today: new Money(message + otp + airtime + lookup),
  message_spent_today: new Money(message),
  otp_spent_today: new Money(otp),
  airtime_spent_today: new Money(airtime),
  lookup_spent_today: new Money(lookup),
});

const storedOf = (usage: StoredUsage): Row => ({
  contact_rows: usage.contactRows,
  stored_bytes: Number(usage.storedBytes),
  unfinished_imports: usage.unfinishedImports,
  waiting_callbacks: usage.waitingCallbacks,
  response_bytes: Number(usage.responseBytes),
  simulated_messages: usage.simulatedMessages,
});
