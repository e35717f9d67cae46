import { type SpendCategory, type Sql, sql } from '@gangan/database';
import { limitColumn, spentColumn, sumOfCounters } from './spend-counters.js';

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

/** Without default limits: only those of the organisation apply. */
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

/**
 * For `wallet`: the limits of the organisation, NULL if there is none, and what they leave. It is negative if a limit
 * was lowered.
 */
export function rooms(spending: Spending | undefined): Sql {
  if (!spending) return noRooms;
  const daily = sql`nullif(coalesce(daily_spend_kobo, ${spending.dailyLimit}::bigint), 0)`;
  const [limit, spent] = [limitColumn(spending.category), spentColumn(spending.category)];
  const category = sql`nullif(coalesce(${limit}, ${spending.categoryLimit}::bigint), 0)`;
  return sql`
    SELECT ${daily} AS daily_limit, ${category} AS category_limit, ${category} - ${spent} AS category_room,
      ${daily} - (${sumOfCounters}) AS daily_room
    FROM organisation WHERE organisation.id = counted.organisation_id`;
}

const noRooms = sql`
  SELECT NULL::bigint AS daily_limit, NULL::bigint AS category_limit, NULL::bigint AS category_room,
    NULL::bigint AS daily_room`;
