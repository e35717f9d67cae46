import { retentionOf } from '@gangan/leases';
import { parseDurations } from '@gangan/runtime';
import { LookupConfig } from './lookup.config.js';

export const lookupRetention = retentionOf(LookupConfig, [
  // Findings of live lookups are personal data.
  { table: 'live_finding', key: 'phone', since: 'kept_until', keptMs: 0 },
  {
    table: 'lookup_batch',
    since: 'ended_at',
    keptMs: keptBatchesMs,
    // Each may have a large file.
    limit: 5,
    intervalMs: 60_000,
  },
]);

export function keptBatchesMs({ LOOKUP_BATCH_KEPT_FOR: kept }: LookupConfig): number {
  return parseDurations(kept)?.[0] ?? 0;
}
