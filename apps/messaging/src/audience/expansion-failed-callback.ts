import { toNaira } from '@gangan/billing';
import type { NewCallback } from '@gangan/callbacks';
import { formatTimestamp } from '@gangan/contracts';
import { type RowOf, sql, statement, t } from '@gangan/database';
import {
  wholeMessageCallback,
  wholeMessageColumns,
  wholeMessageData,
  wholeMessageShape,
} from '../outcome/message-callback.js';

const type = 'message.expansion_failed';

/** A message whose expansion has failed. */
export const findFailed = statement(
  {
    ...wholeMessageShape,
    reason: t.text,
    recipients: t.int,
    refunded: t.bigint,
    endedAt: t.timestamp,
  },
  (messageId: string) => sql`
    SELECT ${wholeMessageColumns(type)}, expansion.error_message AS reason, expansion.recipients,
      message.charge_kobo + expansion.growth_kobo - expansion.charge_kobo AS refunded, expansion.ended_at AS "endedAt"
    FROM message_expansion AS expansion JOIN message ON message.id = expansion.message_id
    WHERE expansion.message_id = ${messageId} AND expansion.state = 'failed'`,
);

/** One callback for the whole message: recipients that were not read have no delivery or callback. */
export function expansionFailedCallback(row: RowOf<typeof findFailed>): NewCallback {
  const failed = formatTimestamp(row.endedAt);
  const data = {
    ...wholeMessageData(row),
    reason: row.reason,
    recipients: row.recipients,
    refunded: toNaira(row.refunded),
    failed_datetime: failed,
  };
  return wholeMessageCallback(row, { type, timestamp: failed, data });
}
