import { toNaira } from '@gangan/billing';
import { hasEndpoints, type NewCallback } from '@gangan/callbacks';
import { formatTimestamp } from '@gangan/contracts';
import { type Channel, type RowOf, sql, statement, t } from '@gangan/database';
import type { ExpansionOf } from './end-expansion.js';

/** A message whose expansion has failed. */
export const findFailed = statement(
  {
    channel: t.enumOf<Channel>('channel'),
    requestId: t.text,
    callbackUrl: t.nullable(t.text),
    externalRef: t.nullable(t.text),
    hasEndpoints: t.bool,
    reason: t.text,
    recipients: t.int,
    refunded: t.bigint,
    createdAt: t.timestamp,
    endedAt: t.timestamp,
  },
  (messageId: string) => sql`
    SELECT message.channel, message.request_id AS "requestId", message.callback_url AS "callbackUrl",
      message.external_ref AS "externalRef",
      ${hasEndpoints(sql`message.organisation_id`, ['message.expansion_failed'])} AS "hasEndpoints",
      expansion.error_message AS reason, expansion.recipients,
      message.charge_kobo + expansion.growth_kobo - expansion.charge_kobo AS refunded,
      message.created_at AS "createdAt", expansion.ended_at AS "endedAt"
    FROM message_expansion AS expansion JOIN message ON message.id = expansion.message_id
    WHERE expansion.message_id = ${messageId} AND expansion.state = 'failed'`,
);

/** One for the whole message: recipients that were not read have no delivery, and no callback of their own. */
export function expansionFailedCallback(
  { messageId: id, organisationId }: ExpansionOf,
  row: RowOf<typeof findFailed>,
): NewCallback {
  const failed = formatTimestamp(row.endedAt);
  const data = {
    id,
    channel: row.channel,
    reason: row.reason,
    recipients: row.recipients,
    refunded: toNaira(row.refunded),
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    created_datetime: formatTimestamp(row.createdAt),
    failed_datetime: failed,
  };
  const { requestId, callbackUrl: url, hasEndpoints: toEndpoints } = row;
  const body = { type: 'message.expansion_failed' as const, timestamp: failed, data };
  return { organisationId, resourceId: id, requestId, url, hasEndpoints: toEndpoints, body };
}
