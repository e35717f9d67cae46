export { Balance, Ledger, LedgerEntry, LedgerQuery, walletChangeKinds } from './billing.dto.js';
