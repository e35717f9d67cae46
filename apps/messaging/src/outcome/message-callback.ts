import type { NewCallback } from '@gangan/callbacks';
import {
  formatTimestamp,
  type MessageCallback,
  type MessageCallbackData,
  shownReason,
} from '@gangan/contracts';
import type { Delivery, DeliveryState, Message } from '@gangan/database';
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
