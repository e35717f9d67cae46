import { type SpendCategory, type Sql, sql } from '@gangan/database';
import { itemArrays, type LedgerItem } from './items.js';
import { type Ledger, type MoneyCall, moveMoney } from './move-money.js';
import { type MoveRow, nothingAlongside } from './move-statement.js';

/** The result for one item. An item that is not `ok` changed nothing. */
export type ChargeResult =
  | {
      readonly ok: true;
      readonly balanceBefore: bigint;
      /** The balance of the wallet after this item. */
      readonly balance: bigint;
      /** The item was spent before: nothing moved now, and the balances are those of that time. */
      readonly repeated: boolean;
      /** Whether the condition of `alongside` was met; absent if there is none. */
      readonly isConditionMet?: boolean;
    }
  | Refusal;

export interface Refusal {
  readonly ok: false;
  /** The balance of the wallet, which was too low unless `limit` is set. */
  readonly available: bigint;
  /** The limit that refused the item; absent if the balance was too low. */
  readonly limit?: ReachedLimit;
}

/** The limit that refused an item. */
export interface ReachedLimit {
  /** The name that `pnpm admin limits` shows. */
  readonly name: LimitName;
  readonly kobo: bigint;
  /** What may still be spent today. */
  readonly left: bigint;
}

export type LimitName = 'daily_spend' | `${SpendCategory}_daily_spend`;

/** Each app may call the functions of its own categories. */
const charging = { message: sql`charge_message`, otp: sql`charge_otp`, lookup: sql`charge_lookup` };
const reserving = { airtime: sql`reserve_airtime`, lookup: sql`reserve_lookup` };

export type ChargedCategory = keyof typeof charging;
export type ReservedCategory = keyof typeof reserving;

/**
 * Takes the price of each item from its organisation's wallet, once per subject, within the limits of the day. If a
 * batch does not fit, the items of an organisation are decided in their order; one that is too expensive does not stop
 * a cheaper one behind it.
 *
 * `alongside` puts the charge and what is bought into one statement: further parts of its WITH clause, which find in
 * `accepted (subject_id, kobo, balance)` the items that were charged now or cost nothing. They should use
 * `ON CONFLICT DO NOTHING`, as an item of 0 leaves no movement that would show an earlier run.
 *
 *     charge(database, 'message', items, sql`stored AS (
 *       INSERT INTO message (id, balance_kobo, …) SELECT requested.id, accepted.balance, …
 *       FROM unnest(…) AS requested (id, …) JOIN accepted ON accepted.subject_id = requested.id
 *       ON CONFLICT DO NOTHING)`)
 *
 * `condition` is evaluated for each item after these parts, with `item.subject_id` and what the parts return.
 *
 * Returns results in the order of the items. As after `lockWallets`, the rest of a transaction around it waits at most
 * 200 ms for any lock and avoids full scans.
 */
export const charge = (
  ledger: Ledger,
  category: ChargedCategory,
  items: readonly LedgerItem[],
  alongside?: Sql,
  condition?: Sql,
): Promise<ChargeResult[]> => {
  const call = (members: readonly LedgerItem[]) => sql`${charging[category]}(${itemArrays(members)})`;
  return spend(ledger, call, category, items, alongside, condition);
};

/** Sets the price of each item aside until it is posted or voided; otherwise like `charge`. */
export const reserve = (
  ledger: Ledger,
  category: ReservedCategory,
  items: readonly LedgerItem[],
  alongside?: Sql,
): Promise<ChargeResult[]> => {
  const call = (members: readonly LedgerItem[]) => sql`${reserving[category]}(${itemArrays(members)})`;
  return spend(ledger, call, category, items, alongside);
};

async function spend(
  ledger: Ledger,
  call: MoneyCall<LedgerItem>,
  category: SpendCategory,
  items: readonly LedgerItem[],
  parts?: Sql,
  condition?: Sql,
): Promise<ChargeResult[]> {
  const alongside = parts && {
    parts: sql`, ${parts}`,
    condition: condition ?? nothingAlongside.condition,
  };
  const rows = await moveMoney(ledger, call, items, alongside);
  return rows.map((row) => {
    const result = chargeResultOf(row as MoveRow, category);
    return condition && result.ok ? { ...result, isConditionMet: row?.isConditionMet === true } : result;
  });
}

function chargeResultOf(row: MoveRow, category: SpendCategory): ChargeResult {
  const { outcome, kobo, balance } = row;
  const after = balance ?? 0n;
  if (outcome === 'insufficient') return { ok: false, available: after };
  if (outcome === 'over_limit') return { ok: false, available: after, limit: reachedLimit(row, category) };
  return { ok: true, balanceBefore: after + kobo, balance: after, repeated: outcome === 'earlier' };
}

/** Returns the limit that has the least left. */
function reachedLimit(row: MoveRow, category: SpendCategory): ReachedLimit {
  const { dailyLimit, dailyRoom, categoryLimit, categoryRoom } = row;
  const left = row.remaining ?? 0n;
  return categoryRoom !== null && (dailyRoom === null || categoryRoom <= dailyRoom)
    ? { name: `${category}_daily_spend`, kobo: categoryLimit ?? 0n, left }
    : { name: 'daily_spend', kobo: dailyLimit ?? 0n, left };
}
