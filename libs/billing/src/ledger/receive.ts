import type { Member } from './members.js';
import { givenAmounts, type Ledger, move } from './move.js';
import type { Route, Row } from './movement.js';

/** What became of money on its way to a wallet. */
export interface Receipt {
  /** False when it had come before: nothing moved now, and the balance is that of then. */
  readonly moved: boolean;
  /** What came, now or then: it may be another amount than was asked for now. */
  readonly kobo: bigint;
  /** Of the wallet, after it. */
  readonly balance: bigint;
}

const refunding: Route = { kind: 'refund', from: 'revenue', to: 'wallet', onceAmong: ['refund'] };
const toppingUp: Route = { kind: 'top_up', from: 'funding', to: 'wallet', onceAmong: ['top_up'] };

/** Gives each member's price back, once. The subject is what failed (a delivery), not what was charged (its message). */
export const refund = (ledger: Ledger, members: readonly Member[]): Promise<Receipt[]> =>
  receive(ledger, refunding, members);

/** Lets money in from outside, once per payment. */
export const topUp = (ledger: Ledger, payments: readonly Member[]): Promise<Receipt[]> =>
  receive(ledger, toppingUp, payments);

async function receive(ledger: Ledger, route: Route, members: readonly Member[]): Promise<Receipt[]> {
  const rows = await move(ledger, route, members, givenAmounts);
  return members.map(({ subjectId }) => {
    const { outcome, kobo, balance } = rows.get(subjectId) as Row;
    return { moved: outcome === 'moved', kobo, balance: balance ?? 0n };
  });
}
