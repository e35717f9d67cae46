export { insufficientBalance } from './billing.errors.js';
export {
  checkLedger,
  type LedgerFinding,
  type LedgerReport,
  type LedgerTotal,
} from './check/check-ledger.js';
export { adjust, type Adjustment } from './ledger/adjust.js';
export { lockWallets } from './ledger/lock-wallets.js';
export type { Member, Subject } from './ledger/members.js';
export type { Ledger } from './ledger/move.js';
export { type Receipt, refund, topUp } from './ledger/receive.js';
export { bookLoss, type LossBooking, post, type Settlement, voidReservation } from './ledger/settle.js';
export { isolateLockedWallets } from './ledger/isolate-locked-wallets.js';
export { charge, reserve, type Spending } from './ledger/spend.js';
export { toKobo, parseNaira, toNaira, formatNaira } from './money.js';
export { paymentIdOf } from './payment-id.js';
export { PriceList, type PriceRow } from './prices/price-list.js';
export { Prices } from './prices/prices.js';
export { balancesOf, type Balances } from './wallet/balances.js';
export { historyOf, type WalletHistoryQuery, type WalletChange, type WalletKind } from './wallet/history.js';
