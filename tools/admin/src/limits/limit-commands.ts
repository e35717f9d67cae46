import { type Limits, limitsOf, setLimits } from '@gangan/database';
import type { Command } from 'commander';
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

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'show <organisation>', 'show the limits of an organisation').action(
    async (given: string) => {
      const { database, id } = await session.organisation(given);
      session.show(rowOf(await limitsOf(database, id)));
    },
  );

  addCommand(
    group,
    'set <organisation>',
    'change limits; others stay as they are. 0 switches a limit off, default uses the configured value',
    [
      'acme/live --requests-per-second 500 --request-burst 1000',
      'acme/live --otp-sends-per-recipient 0 --requests-per-second default',
    ],
  )
    .option('--requests-per-second <n>', 'of all keys together', count)
    .option('--request-burst <n>', 'requests at once', count)
    .option('--otp-sends-per-recipient <n>', 'OTPs to one number in 10 minutes', count)
    .option(
      '--otp-sends-per-prefix <n>',
      'OTPs to numbers that differ in the last four digits, in 10 minutes',
      count,
    )
    .option('--otp-tries-per-recipient <n>', 'wrong tokens for one number in an hour', count)
    .option('--otp-daily-spend <naira>', 'cost of OTPs per day', spend)
    .action(async (given: string, options: Record<string, unknown>) => {
      const limits = changesFrom(options, 'limit', (option) =>
        option === 'otpDailySpend' ? 'otpDailySpendKobo' : option,
      );
      const { database, id, label } = await session.organisation(given);
      const after = await database.$transaction(async (models) => {
        // Locks the row.
        const before = rowOf(await setLimits(models, id, {}));
        const changed = rowOf(await setLimits(models, id, limits));
        await session.audit(models, { organisationId: id, target: label, before, after: changed });
        return changed;
      });
      session.show(after);
    });
}

const rowOf = ({ otpDailySpendKobo, ...limits }: Limits): Row => ({
  requests_per_second: limits.requestsPerSecond ?? asConfigured,
  request_burst: limits.requestBurst ?? asConfigured,
  otp_sends_per_recipient: limits.otpSendsPerRecipient ?? asConfigured,
  otp_sends_per_prefix: limits.otpSendsPerPrefix ?? asConfigured,
  otp_tries_per_recipient: limits.otpTriesPerRecipient ?? asConfigured,
  otp_daily_spend: otpDailySpendKobo === null ? asConfigured : new Money(otpDailySpendKobo),
});
