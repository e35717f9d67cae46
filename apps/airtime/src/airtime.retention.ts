import { sql } from '@gangan/database';
import { days, retentionOf } from '@gangan/leases';
import { AirtimeConfig } from './airtime.config.js';

/** Purchases are never deleted. */
export const airtimeRetention = retentionOf(AirtimeConfig, [
  {
    table: 'simulated_top_up',
    keptMs: days(90),
    // The simulator may be queried about a purchase that is not finished, and would cause a refund without its record.
    where: sql`(
      SELECT true FROM airtime_purchase
      WHERE id = simulated_top_up.reference AND state::text NOT IN ('success', 'failed', 'duplicate') LIMIT 1) IS NULL`,
  },
]);
