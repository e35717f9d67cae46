import { hasEndpoints as endpointsOf, type NewCallback } from '@gangan/callbacks';
import {
  type CallbackType,
  formatTimestamp,
  type MessageCallback,
  type MessageCallbackData,
  shownReason,
} from '@gangan/contracts';
import {
  type Channel,
  type Delivery,
  type DeliveryState,
  type Message,
  type RowOf,
  type Sql,
  sql,
  t,
} from '@gangan/database';
import { reportReason } from './reasons.js';

type ShownColumn = 'id' | 'channel' | 'recipientGiven' | 'createdAt' | 'updatedAt';
type CallbackDelivery = Readonly<Pick<Delivery, ShownColumn | 'errorCode' | 'errorMessage'>> & {
  readonly state: ReportedDeliveryState;
};
/** States that have a callback for each delivery. Canceled deliveries are reported once, with their message. */
export type ReportedDeliveryState = Exclude<DeliveryState, 'canceled'>;

type MessageColumn = 'id' | 'organisationId' | 'callbackUrl' | 'externalRef' | 'requestId';
type CallbackMessage = Readonly<Pick<Message, MessageColumn>> & { readonly hasEndpoints: boolean };

export function messageCallback(
  type: MessageCallback['type'],
  delivery: CallbackDelivery,
  { id, organisationId, callbackUrl: url, hasEndpoints, externalRef, requestId }: CallbackMessage,
  click: Pick<MessageCallbackData, 'link' | 'url' | 'clicked_datetime'> = {},
): NewCallback {
  const updated = formatTimestamp(delivery.updatedAt ?? delivery.createdAt);
  const data: MessageCallbackData = {
    id,
    delivery_id: delivery.id,
    channel: delivery.channel,
    recipient: delivery.recipientGiven,
    status: statusOf(delivery.state),
    ...shownReason(delivery.errorCode, delivery.errorMessage, (code) => reportReason(delivery.state, code)),
    ...(externalRef !== null && { external_ref: externalRef }),
    created_datetime: formatTimestamp(delivery.createdAt),
    updated_datetime: updated,
    ...click,
  };
  const body = { type, timestamp: click.clicked_datetime ?? updated, data };
  return { organisationId, resourceId: id, requestId, url, hasEndpoints, body };
}

/** A recipient who clicks a link has the message, even if the provider's answer is not stored yet. */
const statusOf = (state: ReportedDeliveryState): MessageCallbackData['status'] =>
  state === 'queued' || state === 'submitting' ? 'sent' : state;

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
  ${endpointsOf(sql`message.organisation_id`, [type])} AS "hasEndpoints", message.created_at AS "createdAt"`;

/** The fields in the `data` of every callback about a whole message. */
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
