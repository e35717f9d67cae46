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
import { changeResult, reportPending } from '../approvals/change-result.js';
import { effectiveLimits } from './effective-limits.js';
import { asConfigured, changesFrom, notNegative, wholeNumber } from '../session/arguments.js';
import { Money, type Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

const maxInteger = 2_147_483_647;

type Given<T> = T | typeof asConfigured;

const numberUpToMax = wholeNumber(
  0,
  maxInteger,
  'Use a whole number, 0 to switch the limit off, or default.',
);

const count = (text: string): Given<number> => (text === asConfigured ? text : numberUpToMax(text));

const spend = (text: string): Given<bigint> => (text === asConfigured ? text : notNegative(text));

const bytesUpToMax = wholeNumber(
  0,
  999_999_999_999_999,
  'Use a whole number of bytes, 0 to switch the limit off, or default.',
);

const bytes = (text: string): Given<number> => (text === asConfigured ? text : bytesUpToMax(text));

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

  addCommand(
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
  )
    .option('--requests-per-second <n>', 'of all keys together', count)
    .option('--request-burst <n>', 'requests at once', count)
    .option('--otp-sends-per-recipient <n>', 'messages with OTPs to one number in 10 minutes', count)
    .option(
      '--otp-sends-per-prefix <n>',
      'messages with OTPs to numbers that differ in the last four digits, in 10 minutes',
      count,
    )
    .option('--otp-tries-per-recipient <n>', 'wrong tokens for one number in an hour', count)
    .option('--otp-daily-tries-per-recipient <n>', 'wrong tokens for one number in 24 hours', count)
    .option('--daily-spend <naira>', 'cost of everything per day (UTC)', spend)
    .option('--message-daily-spend <naira>', 'cost of messages per day', spend)
    .option('--otp-daily-spend <naira>', 'cost of OTPs per day', spend)
    .option('--airtime-daily-spend <naira>', 'airtime per day', spend)
    .option('--airtime-daily-spend-per-recipient <naira>', 'airtime to one number per day', spend)
    .option('--airtime-key-cooling-hours <n>', 'time in which a new key buys no airtime', count)
    .option('--lookup-daily-spend <naira>', 'cost of lookups per day', spend)
    .option('--contact-rows <n>', 'contacts', count)
    .option('--stored-bytes <n>', 'bytes of contacts, smartlists, unfinished imports and exports', bytes)
    .option('--unfinished-imports <n>', 'imports that wait; as many may be uploading', count)
    .option('--waiting-callbacks <n>', 'callbacks that wait for delivery', count)
    .option('--response-bytes <n>', 'bytes of responses that are stored for an Idempotency-Key', bytes)
    .option('--simulated-messages <n>', 'incoming messages of a test organisation', count)
    .action(async (given: string, options: Record<string, unknown>) => {
      const limits = changesFrom(options, 'limit', (option) =>
        option.includes('ailySpend') ? `${option}Kobo` : option,
      );
      const { database, id, label } = await session.organisation(given);
      await session.nameTarget();
      const changes = Object.fromEntries(
        Object.entries(limits).map(([limit, value]) => [
          columnOf(limit),
          value === null ? null : Number(value),
        ]),
      );
      const [result] = await database.run(callSetLimits, id, changes, session.actor);
      if (result && reportPending(session, result, { organisation: label }, 'No limit has changed')) return;
      session.show(rowOf(await limitsOf(database, id)));
    });
}

/** `daily_spend_kobo` of `dailySpendKobo` */
const columnOf = (limit: string): string => limit.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const callSetLimits = statement(
  changeResult,
  (id: string, changes: object, actor: string) => sql`
    SELECT result ->> 'state' AS state, (result ->> 'approval')::uuid AS approval
    FROM set_limits(${id}::uuid, ${JSON.stringify(changes)}::jsonb, ${actor}) AS result`,
);

const money = (kobo: bigint | null): Row[string] => (kobo === null ? asConfigured : new Money(kobo));

const size = (max: bigint | null): Row[string] => (max === null ? asConfigured : Number(max));

const rowOf = (limits: Limits): Row => ({
  requests_per_second: limits.requestsPerSecond ?? asConfigured,
  request_burst: limits.requestBurst ?? asConfigured,
  otp_sends_per_recipient: limits.otpSendsPerRecipient ?? asConfigured,
  otp_sends_per_prefix: limits.otpSendsPerPrefix ?? asConfigured,
  otp_tries_per_recipient: limits.otpTriesPerRecipient ?? asConfigured,
  otp_daily_tries_per_recipient: limits.otpDailyTriesPerRecipient ?? asConfigured,
  daily_spend: money(limits.dailySpendKobo),
  message_daily_spend: money(limits.messageDailySpendKobo),
  otp_daily_spend: money(limits.otpDailySpendKobo),
  airtime_daily_spend: money(limits.airtimeDailySpendKobo),
  airtime_daily_spend_per_recipient: money(limits.airtimeDailySpendPerRecipientKobo),
  airtime_key_cooling_hours: limits.airtimeKeyCoolingHours ?? asConfigured,
  lookup_daily_spend: money(limits.lookupDailySpendKobo),
  contact_rows: limits.contactRows ?? asConfigured,
  stored_bytes: size(limits.storedBytes),
  unfinished_imports: limits.unfinishedImports ?? asConfigured,
  waiting_callbacks: limits.waitingCallbacks ?? asConfigured,
  response_bytes: size(limits.responseBytes),
  simulated_messages: limits.simulatedMessages ?? asConfigured,
});

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
