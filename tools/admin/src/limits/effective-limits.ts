import { parseNaira } from '@gangan/billing';
import type { Limits } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import { Money, type Row } from '../session/print.js';

type Unit = 'number' | 'bytes' | 'naira';

/** The variable of each limit and its default; a test compares them with docs/operate/configuration.md. */
export const limitVariables: readonly (readonly [keyof Limits, variable: string, fallback: string, Unit])[] =
  [
    ['requestsPerSecond', 'RATE_LIMIT_PER_SECOND', '100', 'number'],
    ['requestBurst', 'RATE_LIMIT_BURST', '200', 'number'],
    ['otpSendsPerRecipient', 'OTP_SENDS_PER_RECIPIENT', '5', 'number'],
    ['otpSendsPerPrefix', 'OTP_SENDS_PER_PREFIX', '50', 'number'],
    ['otpTriesPerRecipient', 'OTP_TRIES_PER_RECIPIENT', '15', 'number'],
    ['otpDailyTriesPerRecipient', 'OTP_DAILY_TRIES_PER_RECIPIENT', '30', 'number'],
    ['dailySpendKobo', 'DAILY_SPEND', '5000000', 'naira'],
    ['messageDailySpendKobo', 'MESSAGE_DAILY_SPEND', '0', 'naira'],
    ['otpDailySpendKobo', 'OTP_DAILY_SPEND', '0', 'naira'],
    ['airtimeDailySpendKobo', 'AIRTIME_DAILY_SPEND', '500000', 'naira'],
    ['airtimeDailySpendPerRecipientKobo', 'AIRTIME_DAILY_SPEND_PER_RECIPIENT', '100000', 'naira'],
    ['airtimeKeyCoolingHours', 'AIRTIME_KEY_COOLING_HOURS', '0', 'number'],
    ['lookupDailySpendKobo', 'LOOKUP_DAILY_SPEND', '0', 'naira'],
    ['contactRows', 'CONTACT_ROWS', '5000000', 'number'],
    ['storedBytes', 'STORED_BYTES', '21474836480', 'bytes'],
    ['unfinishedImports', 'UNFINISHED_IMPORTS', '10', 'number'],
    ['waitingCallbacks', 'WAITING_CALLBACKS', '1000000', 'number'],
    ['responseBytes', 'RESPONSE_BYTES', '4294967296', 'bytes'],
    ['simulatedMessages', 'SIMULATED_MESSAGES', '100000', 'number'],
  ];

/** `daily_spend` of `dailySpendKobo` */
export const nameOf = (limit: string): string =>
  limit.replace(/Kobo$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The values that apply to an organisation, and where each comes from.
 * @param variableOf reads a variable of the environment
 */
export const effectiveLimits = (
  limits: Limits,
  variableOf: (name: string) => string | undefined,
): readonly Row[] =>
  limitVariables.map(([limit, variable, fallback, unit]) => {
    const own = limits[limit];
    const name = nameOf(limit);
    if (own !== null) return { limit: name, ...shown(own, unit), source: 'organisation' };
    const configured = variableOf(variable);
    const source = configured === undefined ? `default of ${variable}` : variable;
    return { limit: name, ...shown(parse(variable, configured ?? fallback, unit), unit), source };
  });

function parse(variable: string, text: string, unit: Unit): bigint {
  const value = unit === 'naira' ? parseNaira(text) : /^\d{1,15}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined) return value;
  throw new CommandError(`${variable} is not ${unit === 'naira' ? 'an amount in naira' : 'a whole number'}.`);
}

const shown = (value: number | bigint, unit: Unit): Row => ({
  value: unit === 'naira' ? new Money(BigInt(value)) : Number(value),
  limited: Number(value) !== 0,
});
