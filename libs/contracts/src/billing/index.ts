export {
  Balance,
  Ledger,
  LedgerEntry,
  LedgerMeta,
  LedgerPagination,
  LedgerQuery,
  usualLedgerPage,
  walletChangeKinds,
} from './billing.dto.js';
