import { type SpendCategory, type Sql, sql } from '@gangan/database';

/** What a charge or reservation is for, and the limits of organisations that have none of their own. */
export interface Spending {
  readonly category: SpendCategory;
  /** Kobo that an organisation may spend in a day (UTC) in all; 0 means no limit. */
  readonly dailyLimit: bigint;
  /** The same for this category. */
  readonly categoryLimit: bigint;
}

/** @param limits in whole naira, as configured */
export const spendingIn = (
  category: SpendCategory,
  limits: { readonly daily: number; readonly category: number },
): Spending => ({
  category,
  dailyLimit: BigInt(limits.daily) * koboPerNaira,
  categoryLimit: BigInt(limits.category) * koboPerNaira,
});

const koboPerNaira = 100n;

/** For organisations that have no limits of their own: none. */
export const unlimited = (category: SpendCategory): Spending => ({
  category,
  dailyLimit: 0n,
  categoryLimit: 0n,
});

/** The limit that refused an item. */
export interface ReachedLimit {
  /** As `pnpm admin limits` calls it. */
  readonly name: LimitName;
  readonly kobo: bigint;
  /** What may still be spent today. */
  readonly left: bigint;
}

export type LimitName = 'daily_spend' | `${SpendCategory}_daily_spend`;

interface Category {
  readonly spent: Sql;
  readonly limit: Sql;
}

const categories: Readonly<Record<SpendCategory, Category>> = {
  message: { spent: sql`message_spent_kobo`, limit: sql`message_daily_spend_kobo` },
  otp: { spent: sql`otp_spent_kobo`, limit: sql`otp_daily_spend_kobo` },
  airtime: { spent: sql`airtime_spent_kobo`, limit: sql`airtime_daily_spend_kobo` },
  lookup: { spent: sql`lookup_spent_kobo`, limit: sql`lookup_daily_spend_kobo` },
};

/** The counters of a wallet, for the SELECT and UPDATE of `moveStatement`. */
export const counters = sql`message_spent_kobo, otp_spent_kobo, airtime_spent_kobo, lookup_spent_kobo`;

/** The counters as of `day`: those of an earlier day are over. */
export const countersOfDay = sql`
  CASE WHEN spent_on = day THEN message_spent_kobo ELSE 0 END AS message_spent_kobo,
  CASE WHEN spent_on = day THEN otp_spent_kobo ELSE 0 END AS otp_spent_kobo,
  CASE WHEN spent_on = day THEN airtime_spent_kobo ELSE 0 END AS airtime_spent_kobo,
  CASE WHEN spent_on = day THEN lookup_spent_kobo ELSE 0 END AS lookup_spent_kobo`;

/** The counters after the items of `moved`, whose amounts are added or, for refunds, subtracted. */
export const countersAfter = (sign: 1n | -1n): Sql => sql`
  max(day) AS spent_on, ${counterAfter('message', sign)} AS message_spent_kobo, ${counterAfter('otp', sign)} AS otp_spent_kobo,
  ${counterAfter('airtime', sign)} AS airtime_spent_kobo, ${counterAfter('lookup', sign)} AS lookup_spent_kobo`;

/** Those of an account that is not a wallet. */
export const noCounters = sql`
  NULL::date AS spent_on, 0::bigint AS message_spent_kobo, 0::bigint AS otp_spent_kobo, 0::bigint AS airtime_spent_kobo,
  0::bigint AS lookup_spent_kobo`;

const counterAfter = (category: SpendCategory, sign: 1n | -1n): Sql => sql`
  greatest(0, max(${categories[category].spent}) + ${sign}::bigint * coalesce(
    sum(kobo) FILTER (WHERE category = ${category}::spend_category AND spent_on IS NOT NULL), 0))::bigint`;

/**
 * For `wallet`: the limits of the organisation, NULL if there is none, and what they leave. It is negative if a limit
 * was lowered.
 */
export function rooms(spending: Spending | undefined): Sql {
  if (!spending) return noRooms;
  const { spent, limit } = categories[spending.category];
  const daily = sql`nullif(coalesce(daily_spend_kobo, ${spending.dailyLimit}::bigint), 0)`;
  const category = sql`nullif(coalesce(${limit}, ${spending.categoryLimit}::bigint), 0)`;
  return sql`
    SELECT ${daily} AS daily_limit, ${category} AS category_limit, ${category} - ${spent} AS category_room,
      ${daily} - (message_spent_kobo + otp_spent_kobo + airtime_spent_kobo + lookup_spent_kobo) AS daily_room
    FROM organisation WHERE organisation.id = counted.organisation_id`;
}

const noRooms = sql`
  SELECT NULL::bigint AS daily_limit, NULL::bigint AS category_limit, NULL::bigint AS category_room,
    NULL::bigint AS daily_room`;
