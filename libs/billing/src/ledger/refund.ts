import { givenAmounts, type LedgerItem } from './items.js';
import { type Ledger, moveMoney } from './move-money.js';
import type { MoveRow, Route } from './move-statement.js';

/** The result for one item that goes to a wallet. */
export interface Receipt {
  /** False if it was booked before: nothing moved now, and the balance is that of that time. */
  readonly moved: boolean;
  /** What was booked, now or before: it may differ from the amount of this item. */
  readonly kobo: bigint;
  /** Of the wallet, after it. */
  readonly balance: bigint;
}

const refunding: Route = { kind: 'refund', from: 'revenue', to: 'wallet', onceAmong: ['refund'] };
const toppingUp: Route = { kind: 'top_up', from: 'funding', to: 'wallet', onceAmong: ['top_up'] };

/** Refunds the price of each item, once. The subject is what failed (a delivery), not what was charged (its message). */
export const refund = (ledger: Ledger, items: readonly LedgerItem[]): Promise<Receipt[]> =>
  receive(ledger, refunding, items);

/** Books money that comes in from outside, once per payment. */
export const topUp = (ledger: Ledger, payments: readonly LedgerItem[]): Promise<Receipt[]> =>
  receive(ledger, toppingUp, payments);

async function receive(ledger: Ledger, route: Route, items: readonly LedgerItem[]): Promise<Receipt[]> {
  const rows = await moveMoney(ledger, route, items, givenAmounts);
  return rows.map((row) => {
    const { outcome, kobo, balance } = row as MoveRow;
    return { moved: outcome === 'moved', kobo, balance: balance ?? 0n };
  });
}
