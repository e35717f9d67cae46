import type { Limits, StoredUsage } from '@gangan/database';
import {
  changeLimits,
  effectiveLimits,
  limitName,
  limitVariables,
  storedLimits,
  usageOf,
} from '@gangan/management';
import type { Command } from 'commander';
import { reportPending } from '../approvals/report-pending.js';
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
    const limits = await effectiveLimits(database, id, session.settings.variable);
    session.list(
      limits.map(({ limit, value, unit, source }) => ({
        limit,
        value: unit === 'naira' ? new Money(value) : Number(value),
        limited: value !== 0n,
        source,
      })),
      '',
    );
  });

  addCommand(
    group,
    'usage <organisation>',
    'show what an organisation has spent today (UTC), and what it stores',
  ).action(async (given: string) => {
    const { database, id } = await session.organisation(given);
    const { spent, stored } = await usageOf(database, id);
    const { message, otp, airtime, lookup } = spent;
    session.show({
      spent_today: new Money(message + otp + airtime + lookup),
      message_spent_today: new Money(message),
      otp_spent_today: new Money(otp),
      airtime_spent_today: new Money(airtime),
      lookup_spent_today: new Money(lookup),
      ...(stored && storedOf(stored)),
    });
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
    const flag = `--${limitName(limit).replaceAll('_', '-')}`;
    setting.option(`${flag} <${unit === 'naira' ? 'naira' : 'n'}>`, meanings[limit], readers[unit]);
  }
  setting.action(async (given: string, options: Record<string, number | bigint | typeof asConfigured>) => {
    const limits = changesFrom(options, 'limit', (option) =>
      option.includes('ailySpend') ? `${option}Kobo` : option,
    );
    const organisation = await session.organisation(given);
    const result = await changeLimits(await session.access(), organisation, limits);
    const row = { organisation: organisation.label };
    if (reportPending(session, result, row, 'No limit has changed')) return;
    session.show(rowOf(await storedLimits(organisation.database, organisation.id)));
  });
}

const rowOf = (limits: Limits): Row =>
  Object.fromEntries(
    limitVariables.map(([limit, , , unit]): [string, Row[string]] => {
      const value = limits[limit];
      if (value === null) return [limitName(limit), asConfigured];
      return [limitName(limit), unit === 'naira' ? new Money(BigInt(value)) : Number(value)];
    }),
  );

const storedOf = (usage: StoredUsage): Row => ({
  contact_rows: usage.contactRows,
  stored_bytes: Number(usage.storedBytes),
  unfinished_imports: usage.unfinishedImports,
  waiting_callbacks: usage.waitingCallbacks,
  response_bytes: Number(usage.responseBytes),
  simulated_messages: usage.simulatedMessages,
});
