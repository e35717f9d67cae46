import { Prisma, SpendCategory, type Sql, sql } from '@gangan/database';

/** A wallet has a column per category for what was spent on its day, and an organisation one for its limit. */
export const spentColumn = (category: SpendCategory): Sql => Prisma.raw(`${category}_spent_kobo`);
export const limitColumn = (category: SpendCategory): Sql => Prisma.raw(`${category}_daily_spend_kobo`);

const categories = Object.values(SpendCategory);

export const perCategory = <T>(value: (category: SpendCategory) => T): Record<SpendCategory, T> =>
  Object.fromEntries(categories.map((category) => [category, value(category)])) as Record<SpendCategory, T>;

/** A list with an expression for each counter. */
export const eachCounter = (write: (column: Sql, category: SpendCategory) => Sql, separator?: string): Sql =>
  Prisma.join(
    categories.map((category) => write(spentColumn(category), category)),
    separator,
  );

export const counters = eachCounter((column) => column);

export const sumOfCounters = eachCounter((column) => column, ' + ');

/** The counters as of `day`: those of an earlier day are over. */
export const countersOfDay = eachCounter(
  (column) => sql`CASE WHEN spent_on = day THEN ${column} ELSE 0 END AS ${column}`,
);

/** The counters after the items of `moved`, whose amounts are added or, for refunds, subtracted. */
export const countersAfter = (sign: 1n | -1n): Sql => sql`
  max(day) AS spent_on, ${eachCounter(
    (column, category) => sql`
      greatest(0, max(${column}) + ${sign}::bigint * coalesce(
        sum(kobo) FILTER (WHERE category = ${category}::spend_category AND spent_on IS NOT NULL), 0))::bigint AS ${column}`,
  )}`;

/** Those of an account that is not a wallet. */
export const noCounters = sql`NULL::date AS spent_on, ${eachCounter((column) => sql`0::bigint AS ${column}`)}`;
