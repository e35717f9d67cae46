import type { SpendCategory } from '@gangan/database';

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
