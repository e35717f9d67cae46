import { sql } from '@gangan/database';

/**
 * True, and evaluated before the first row is locked. It settles for the rest of the transaction that a wallet which
 * somebody holds for longer is not waited for; and that the checks of foreign keys, whose plans a connection keeps, go
 * by index even where they are first planned while the ledger is small: otherwise each entry of a growing ledger would
 * cost a scan of it.
 */
export const withCare = sql`(
  SELECT set_config('lock_timeout', '200ms', true) || set_config('enable_seqscan', 'off', true)) IS NOT NULL`;
