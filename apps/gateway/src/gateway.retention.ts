import { sql } from '@gangan/database';
import { days, retentionOf } from '@gangan/leases';
import { GatewayConfig } from './gateway.config.js';

export const gatewayRetention = retentionOf(GatewayConfig, [
  {
    table: 'idempotency_claim',
    key: 'ctid',
    since: 'created_at',
    // Stored responses contain personal data.
    keptMs: days(1),
    where: sql`leased_until <= now()`,
    intervalMs: 60_000,
  },
  // The last hours count for the quota of stored responses, the others are shown to operators.
  { table: 'response_tally', key: 'ctid', since: 'hour', keptMs: days(31) },
]);
