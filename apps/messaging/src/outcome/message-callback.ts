import type { NewCallback } from '@gangan/callbacks';
import { formatTimestamp, type MessageCallback, type MessageReport } from '@gangan/contracts';
import type { Channel, DeliveryState } from '@gangan/database';

/** A delivery, as callbacks show it. */
export interface ReportedDelivery {
  readonly id: string;
  readonly channel: Channel;
  readonly recipientGiven: string;
  readonly state: DeliveryState;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** The message of a delivery, with the URL of its callbacks. */
export interface ReportedMessage {
  readonly id: string;
  readonly organisationId: string;
  readonly callbackUrl: string;
  readonly externalRef: string | null;
  readonly requestId: string;
}

/** The callback for one delivery. */
export function messageCallback(
  type: MessageCallback['type'],
  delivery: ReportedDelivery,
  { id, organisationId, callbackUrl: url, externalRef, requestId }: ReportedMessage,
  click: { readonly link?: number; readonly clicked_datetime?: string } = {},
): NewCallback {
  const updated = formatTimestamp(delivery.updatedAt ?? delivery.createdAt);
  const data: MessageReport = {
    id,
    delivery_id: delivery.id,
    channel: delivery.channel,
    recipient: delivery.recipientGiven,
    status: statusOf(delivery.state),
    ...(delivery.errorCode !== null && {
      reason: { code: delivery.errorCode, message: delivery.errorMessage ?? '' },
    }),
    ...(externalRef !== null && { external_ref: externalRef }),
    created_datetime: formatTimestamp(delivery.createdAt),
    updated_datetime: updated,
    ...click,
  };
  const body = { type, timestamp: click.clicked_datetime ?? updated, data };
  return { organisationId, resourceId: id, requestId, url, body };
}

/** A recipient who clicks a link has the message, even if the provider's answer is not stored yet. */
const statusOf = (state: DeliveryState): MessageReport['status'] =>
  state === 'queued' || state === 'submitting' ? 'sent' : state;
