export {
  Balance,
  Ledger,
  LedgerEntry,
  LedgerMeta,
  LedgerPagination,
  LedgerQuery,
  defaultLedgerPageSize,
  walletChangeKinds,
} from './billing.dto.js';
