export { insufficientBalance } from './billing.errors.js';
export { checkLedger, type LedgerFinding, type LedgerReport, type LedgerTotal } from './check-ledger.js';
export { type LedgerItem, paymentIdOf, type Subject } from './ledger/items.js';
export type { Ledger } from './ledger/move-money.js';
export { type Receipt, refund, topUp } from './ledger/refund.js';
export { bookLoss, type LossBooking, post, type Settlement, voidReservation } from './ledger/settle.js';
export { adjust, type Adjustment, charge, reserve, type Spending } from './ledger/charge.js';
export { isolateLockedWallets, lockWallets } from './ledger/wallet-locks.js';
export { formatNaira, parseNaira, toKobo, toNaira } from './money.js';
export { PriceList, type PriceRow, Prices } from './prices.js';
export {
  type Balances,
  balancesOf,
  historyOf,
  type WalletChange,
  type WalletHistoryQuery,
  type WalletKind,
} from './wallet.js';
