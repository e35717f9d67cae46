export { dailyLimitReached, insufficientBalance, noPriceFault, spendError } from './billing.errors.js';
export * from './check-ledger.js';
export {
  type LimitName,
  type ReachedLimit,
  type Spending,
  spendingIn,
  unlimited,
} from './ledger/daily-limits.js';
export { growthIdOf, type LedgerItem, paymentIdOf, type RefundItem, type Subject } from './ledger/items.js';
export type { Ledger } from './ledger/move-money.js';
export { type Receipt, refund, refundDeliveries } from './ledger/refund.js';
export * from './ledger/settle.js';
export * from './ledger/charge.js';
export * from './ledger/top-up.js';
export { isolateLockedWallets, lockWallets } from './ledger/wallet-locks.js';
export { formatNaira, parseNaira, toKobo, toNaira } from './money.js';
export * from './price-list.js';
export * from './prices.js';
export * from './wallet.js';
export * from './within-limits.js';
export * from './spent-today.js';
