import { type Channel, parseInboundNumber, parsePhone } from '@gangan/contracts';
import { newId, timeOfId } from '@gangan/protocol';
import { storableText } from '@gangan/providers';
import { cleanReference } from '../providers/provider-text.js';

/** A message to one of our numbers, as a provider brought it. */
export interface ReceivedMessage {
  readonly channel: Channel;
  /** A phone number in any common notation, or another id. */
  readonly from: string;
  /** The number that received it. */
  readonly to: string;
  readonly type: string;
  readonly text?: string | undefined;
  /** The provider's id of the message, by which duplicates are recognised. */
  readonly reference: string;
  readonly sentAt?: Date | undefined;
  /** When the request that brought it arrived: the worker may read it later. */
  readonly arrivedAt: Date;
  /** The request that brought it. */
  readonly requestId: string;
  /** The organisation that receives the message, if that is known; otherwise it is the one that has the number. */
  readonly organisationId?: string | undefined;
}

/** A message that an organisation received. */
export interface IncomingMessage {
  readonly id: string;
  readonly organisationId: string;
  readonly channel: Channel;
  /** E.164, or a short code. */
  readonly number: string;
  /** E.164, or the provider's name of a sender that is not a phone number. */
  readonly sender: string;
  readonly type: string;
  readonly text: string | null;
  readonly provider: string;
  readonly providerReference: string;
  readonly sentAt: Date | null;
  readonly receivedAt: Date;
  /** When the request that brought it arrived. Not stored. */
  readonly arrivedAt: Date;
  /** The request that brought it. Not stored. */
  readonly requestId: string;
}

const maxSenderLength = 128;
const maxTypeLength = 32;
/** The longest text of a WhatsApp message. */
export const maxIncomingLength = 4_096;

/** The number that received a message, in the form in which it is assigned. */
export const receivingNumber = ({ to }: ReceivedMessage, region: string): string | undefined =>
  parseInboundNumber(to, region);

/** Carriers often write international numbers without the `+`. */
const internationalDigits = /^[1-9]\d{7,14}$/;

/** The phone number in E.164, or the text of a sender that is not a phone number. */
export function senderOf(from: string, region: string): string {
  const phone =
    parsePhone(from, region) ?? (internationalDigits.test(from) ? parsePhone(`+${from}`, region) : undefined);
  return phone?.e164 ?? (storableText(from, maxSenderLength) || 'unknown');
}

export function incomingMessage(
  received: ReceivedMessage,
  {
    organisationId,
    number,
    provider,
    sender,
  }: Record<'organisationId' | 'number' | 'provider' | 'sender', string>,
): IncomingMessage {
  const id = newId();
  const { channel, type, text, reference, sentAt, arrivedAt, requestId } = received;
  return {
    id,
    organisationId,
    channel,
    number,
    sender,
    type: storableText(type, maxTypeLength) || 'unknown',
    text: text === undefined ? null : storableText(text, maxIncomingLength),
    provider,
    providerReference: cleanReference(reference) ?? id,
    sentAt: sentAt ?? null,
    receivedAt: timeOfId(id),
    arrivedAt,
    requestId,
  };
}
