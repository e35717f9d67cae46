import { sql } from '@gangan/database';
import { days, retentionOf } from '@gangan/leases';
import { CallbackConfig } from './callback.config.js';

const keptMs = (config: CallbackConfig): number => days(config.CALLBACK_KEPT_DAYS);

export const callbackRetention = retentionOf(CallbackConfig, [
  // Their attempts are deleted with them.
  { table: 'callback', since: 'ended_at', keptMs, kind: 'callbacks' },
  {
    table: 'callback_attempt',
    key: 'ctid',
    since: 'started_at',
    keptMs: (config) => days(config.CALLBACK_ANSWERS_KEPT_DAYS),
    where: sql`answer IS NOT NULL`,
    set: sql`answer = NULL`,
  },
  { table: 'callback_host', key: 'ctid', since: 'updated_at', keptMs },
]);
