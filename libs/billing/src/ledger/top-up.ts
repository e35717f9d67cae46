import { sql } from '@gangan/database';
import { itemArrays, type LedgerItem } from './items.js';
import type { Ledger } from './move-money.js';
import { type Receipt, receive } from './refund.js';

const toppingUp = (payments: readonly LedgerItem[]) => sql`top_up_money(${itemArrays(payments)})`;

/** Books money that comes in from outside, once per payment. */
export const topUp = (ledger: Ledger, payments: readonly LedgerItem[]): Promise<Receipt[]> =>
  receive(ledger, toppingUp, payments);
