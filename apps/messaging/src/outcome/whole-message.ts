import { hasEndpoints, type NewCallback } from '@gangan/callbacks';
import { type CallbackType, formatTimestamp } from '@gangan/contracts';
import { type Channel, type RowOf, type Sql, sql, t } from '@gangan/database';

/** What every callback about a whole message, not one of its recipients, is made of. */
export const wholeMessageShape = {
  id: t.uuid,
  organisationId: t.uuid,
  channel: t.enumOf<Channel>('channel'),
  requestId: t.text,
  callbackUrl: t.nullable(t.text),
  externalRef: t.nullable(t.text),
  hasEndpoints: t.bool,
  createdAt: t.timestamp,
};

type WholeMessage = RowOf<{ readonly shape: typeof wholeMessageShape }>;

/** The columns of a query on `message`. */
export const wholeMessageColumns = (type: CallbackType): Sql => sql`
  message.id, message.organisation_id AS "organisationId", message.channel, message.request_id AS "requestId",
  message.callback_url AS "callbackUrl", message.external_ref AS "externalRef",
  ${hasEndpoints(sql`message.organisation_id`, [type])} AS "hasEndpoints", message.created_at AS "createdAt"`;

/** The fields that `data` of each such callback has. */
export const wholeMessageData = ({ id, channel, externalRef, createdAt }: WholeMessage) => ({
  id,
  channel,
  ...(externalRef !== null && { external_ref: externalRef }),
  created_datetime: formatTimestamp(createdAt),
});

export const wholeMessageCallback = (
  { id, organisationId, requestId, callbackUrl: url, hasEndpoints: toEndpoints }: WholeMessage,
  body: NewCallback['body'],
): NewCallback => ({ organisationId, resourceId: id, requestId, url, hasEndpoints: toEndpoints, body });
