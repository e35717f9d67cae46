import { Database } from '../database.js';
import * as t from '../sql/columns.js';
import { command, sql, statement } from '../sql/statement.js';
import type { SqlRunner } from '../sql/statements.js';

/** Limits of spending per day for organisations without their own. Their names in `money_limit` are the same in lower case. */
export const spendLimitVariables = [
  'DAILY_SPEND',
  'MESSAGE_DAILY_SPEND',
  'OTP_DAILY_SPEND',
  'AIRTIME_DAILY_SPEND',
  'LOOKUP_DAILY_SPEND',
] as const;

/** Limits in whole naira; 0 means no limit. An absent limit stays as it is stored. */
export type SpendLimits = Readonly<Partial<Record<(typeof spendLimitVariables)[number], number>>>;

export const maxSpendLimit = 1_000_000_000;

/** @throws Error if a variable cannot be read */
export function readSpendLimits(environment: NodeJS.ProcessEnv): SpendLimits {
  const given = spendLimitVariables.flatMap((name) => {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return [];
    const naira = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
    if (naira <= maxSpendLimit) return [[name, naira]];
    throw new Error(`${name} must be a whole number of naira from 0 to ${maxSpendLimit}.`);
  });
  return Object.fromEntries(given) as SpendLimits;
}

const findLimits = statement(
  { name: t.text, naira: t.bigint },
  () => sql`
  SELECT upper(name) AS name, kobo / 100 AS naira FROM money_limit
  WHERE name = ANY (${spendLimitVariables.map((name) => name.toLowerCase())}::text[])`,
);

const storeLimits = command(
  (names: readonly string[], naira: readonly number[]) => sql`
    INSERT INTO money_limit (name, kobo)
    SELECT lower(name), naira * 100 FROM unnest(${names}::text[], ${naira}::bigint[]) AS given (name, naira)
    ON CONFLICT (name) DO UPDATE SET kobo = excluded.kobo`,
);

/** The stored limits in naira, by their variables. */
export async function storedSpendLimits(database: SqlRunner): Promise<ReadonlyMap<string, bigint>> {
  return new Map((await database.run(findLimits)).map(({ name, naira }) => [name, naira]));
}

/** Stores the given limits, for which only the owner of the tables has the privilege. */
export async function storeSpendLimits(url: string, limits: SpendLimits): Promise<void> {
  const given = Object.entries(limits);
  if (given.length === 0) return;
  await withDatabase(url, (database) =>
    database.run(
      storeLimits,
      given.map(([name]) => name),
      given.map(([, naira]) => naira),
    ),
  );
}

/** The given limits that differ from the stored ones: the variables and both amounts, as a sentence for each. */
export async function differingSpendLimits(url: string, limits: SpendLimits): Promise<string[]> {
  const given = Object.entries(limits);
  if (given.length === 0) return [];
  const stored = await withDatabase(url, storedSpendLimits);
  return given
    .filter(([name, naira]) => stored.get(name) !== BigInt(naira))
    .map(([name, naira]) => `${name} is ${naira}, and the database has ${stored.get(name) ?? 'none'}.`);
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database({ url, poolSize: 1, name: 'gangan spend limits' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
