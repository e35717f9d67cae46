import { parseNaira, spentToday } from '@gangan/billing';
import {
  type Database,
  findUsage,
  type Limits,
  limitsOf,
  sql,
  statement,
  storedSpendLimits,
} from '@gangan/database';
import { type Access, callFunction, changeColumns, type ChangeResult, changeResult } from '../access.js';
import type { Organisation } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';

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
export const limitName = (limit: string): string =>
  limit.replace(/Kobo$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Reads a variable of the apps. */
export type VariableReader = (name: string) => string | undefined;

/** The limits of an organisation itself. */
export const storedLimits = (database: Database, id: string): Promise<Limits> => limitsOf(database, id);

/** The limits that apply to an organisation. */
export async function effectiveLimits(database: Database, id: string, variableOf: VariableReader) {
  const stored = await storedSpendLimits(database);
  return mergeLimits(
    await limitsOf(database, id),
    (name) => stored.get(name)?.toString() ?? variableOf(name),
  );
}

/** The values that apply, in kobo if their unit is naira, and where each comes from. */
export const mergeLimits = (limits: Limits, variableOf: VariableReader) =>
  limitVariables.map(([limit, variable, fallback, unit]) => {
    const own = limits[limit];
    const configured = variableOf(variable);
    const value = own === null ? parse(variable, configured ?? fallback, unit) : BigInt(own);
    const inherited = configured === undefined ? `default of ${variable}` : variable;
    return { limit: limitName(limit), value, unit, source: own === null ? inherited : 'organisation' };
  });

function parse(variable: string, text: string, unit: Unit): bigint {
  const value = unit === 'naira' ? parseNaira(text) : /^\d{1,15}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined) return value;
  const expected = unit === 'naira' ? 'an amount in naira' : 'a whole number';
  throw new Refusal('invalid', `${variable} is not ${expected}.`);
}

const callSetLimits = statement(
  changeResult,
  (id: string, changes: object, actor: string) => sql`
    SELECT ${changeColumns} FROM set_limits(${id}::uuid, ${JSON.stringify(changes)}::jsonb, ${actor}) AS result`,
);

/** Changes limits, or requests the approval; null means the configured default. */
export const changeLimits = (
  { database, principal }: Access,
  { id }: Pick<Organisation, 'id'>,
  limits: Readonly<Record<string, number | bigint | null>>,
): Promise<ChangeResult> => {
  const columns = Object.entries(limits).map(([limit, value]) => [
    limit.endsWith('Kobo') ? `${limitName(limit)}_kobo` : limitName(limit),
    value === null ? null : Number(value),
  ]);
  return callFunction(database, callSetLimits, id, Object.fromEntries(columns) as object, principal.name);
};

/** What an organisation has spent today, in kobo, and what it stores. */
export async function usageOf(database: Database, id: string) {
  const [stored] = await database.run(findUsage, id);
  return { spent: await spentToday(database, id), stored };
}
