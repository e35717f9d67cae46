import type { ContentCallback } from '@gangan/callbacks';
import { formatTimestamp, type ReceivedCallbackData } from '@gangan/contracts';
import type { IncomingMessage } from './incoming-message.js';

/** A message as the API and callbacks show it. */
export const shownMessage = ({
  id,
  channel,
  number,
  sender,
  type,
  text,
  sentAt,
  receivedAt,
}: Omit<
  IncomingMessage,
  'organisationId' | 'provider' | 'providerReference' | 'arrivedAt' | 'requestId'
>): ReceivedCallbackData => ({
  id,
  channel,
  number,
  sender,
  type,
  ...(text !== null && { text }),
  ...(sentAt && { sent_datetime: formatTimestamp(sentAt) }),
  received_datetime: formatTimestamp(receivedAt),
});

export function receivedCallback(message: IncomingMessage): ContentCallback {
  const { id, organisationId, requestId, receivedAt } = message;
  const event = { type: 'message.received' as const, timestamp: formatTimestamp(receivedAt) };
  return {
    organisationId,
    resourceId: id,
    requestId,
    url: null,
    hasEndpoints: true,
    body: { ...event, data: shownMessage(message) },
    withoutText: { ...event, data: shownMessage({ ...message, text: null }) },
  };
}
