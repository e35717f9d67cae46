import { givenAmounts, type LedgerItem } from './items.js';
import type { Ledger } from './move-money.js';
import type { MoneyFlow } from './move-statement.js';
import { type Receipt, receive } from './refund.js';

const toppingUp: MoneyFlow = { kind: 'top_up', from: 'funding', to: 'wallet', onceAmong: ['top_up'] };

/** Books money that comes in from outside, once per payment. */
export const topUp = (ledger: Ledger, payments: readonly LedgerItem[]): Promise<Receipt[]> =>
  receive(ledger, toppingUp, payments, givenAmounts);
