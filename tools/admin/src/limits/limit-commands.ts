import { type Limits, limitsOf, setLimits } from '@gangan/database';
import { type Command, InvalidArgumentError } from 'commander';
import { asConfigured, notNegative } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import type { Row } from '../session/print.js';
import { findOrganisation } from '../organisations/find-organisation.js';

const mostOfAColumn = 2_147_483_647;

type Wish<T> = T | typeof asConfigured;

function count(text: string): Wish<number> {
  if (text === asConfigured) return text;
  if (/^\d+$/.test(text) && Number(text) <= mostOfAColumn) return Number(text);
  throw new InvalidArgumentError('Write a whole number, 0 to switch the limit off, or default.');
}

const spend = (text: string): Wish<bigint> => (text === asConfigured ? text : notNegative(text));

export function addLimitCommands(group: Command, session: AdminSession): void {
  group
    .command('show')
    .description('the limits of an organisation')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin limits show acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id } = await findOrganisation(database, given);
      session.show(rowOf(await limitsOf(database, id)));
    });

  group
    .command('set')
    .description('change limits; what is not named stays')
    .argument('<organisation>')
    .option('--requests-per-second <n>', 'over all keys together', count)
    .option('--request-burst <n>', 'how many may come at once', count)
    .option('--otp-sends-per-recipient <n>', 'to one number in 10 minutes', count)
    .option(
      '--otp-sends-per-prefix <n>',
      'to numbers that differ in the last four digits, in 10 minutes',
      count,
    )
    .option('--otp-tries-per-recipient <n>', 'wrong tokens of one number in an hour', count)
    .option('--otp-daily-spend <naira>', 'on OTPs in a day', spend)
    .addHelpText(
      'after',
      `
Examples:
  pnpm admin limits set acme/live --requests-per-second 500 --request-burst 1000
  pnpm admin limits set acme/live --otp-sends-per-recipient 0 --requests-per-second default`,
    )
    .action(async (given: string, options: Readonly<Record<string, Wish<number | bigint>>>) => {
      const wanted = wantedOf(options);
      if (Object.keys(wanted).length === 0) {
        throw new InvalidArgumentError('Name at least one limit; --help lists them.');
      }
      const database = await session.database();
      const { id } = await findOrganisation(database, given);
      session.show(rowOf(await setLimits(database, id, wanted)));
    });
}

const wantedOf = (options: Readonly<Record<string, Wish<number | bigint>>>): Partial<Limits> =>
  Object.fromEntries(
    Object.entries(options).map(([name, wish]) => [
      name === 'otpDailySpend' ? 'otpDailySpendKobo' : name,
      wish === asConfigured ? null : wish,
    ]),
  );

const rowOf = ({ otpDailySpendKobo, ...limits }: Limits): Row => ({
  requests_per_second: limits.requestsPerSecond ?? asConfigured,
  request_burst: limits.requestBurst ?? asConfigured,
  otp_sends_per_recipient: limits.otpSendsPerRecipient ?? asConfigured,
  otp_sends_per_prefix: limits.otpSendsPerPrefix ?? asConfigured,
  otp_tries_per_recipient: limits.otpTriesPerRecipient ?? asConfigured,
  otp_daily_spend: otpDailySpendKobo === null ? asConfigured : new Money(otpDailySpendKobo),
});
