import { type Channel, channels } from '../delivery/delivery.dto.js';
import { FailureReason } from '../reason.dto.js';
import {
  EnumField,
  IdField,
  IntegerField,
  NumberField,
  OptionalIntegerField,
  OptionalObjectField,
  OptionalTextField,
  OptionalTimeField,
  TextField,
  TimeField,
} from '../schema/fields.js';

const deliveryStatuses = [
  'sent',
  'delivered',
  'read',
  'undelivered',
  'failed',
  'expired',
  'rejected',
] as const;

/** The status of a message for one recipient. Never contains the text of the message, and of its links only one that was opened. */
export class MessageCallbackData {
  @IdField('Id of the message')
  id: string;

  @IdField('Id of the delivery to this recipient')
  delivery_id: string;

  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @TextField('Phone number as it was sent', '07000000001')
  recipient: string;

  @EnumField(deliveryStatuses, 'Status of the delivery', 'delivered')
  status: (typeof deliveryStatuses)[number];

  @OptionalObjectField(FailureReason, 'Why it was not delivered; absent if nothing went wrong')
  reason?: FailureReason;

  @OptionalTextField('`external_ref` of the request', 'order-1042')
  external_ref?: string;

  @TimeField('Time when the message was accepted')
  created_datetime: string;

  @TimeField('Time when the status last changed')
  updated_datetime: string;

  @OptionalIntegerField('Only with `message.clicked`: which link of the text, counted from 1', 1)
  link?: number;

  @OptionalTextField(
    'Only with `message.clicked`: the original URL of the link; absent if it is no longer known',
    'https://example.com/orders/17',
  )
  url?: string;

  @OptionalTimeField('Only with `message.clicked`: time of the click')
  clicked_datetime?: string;
}

/** A message that was canceled, when all its recipients have ended. */
export class CanceledCallbackData {
  @IdField('Id of the message')
  id: string;

  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @IntegerField('Number of recipients that the message was not sent to, because you canceled it', 99_000)
  canceled: number;

  @IntegerField(
    'Number of recipients whose message a carrier has accepted, or may have accepted. Recipients that failed or were rejected are in neither number',
    1_000,
  )
  submitted: number;

  @NumberField(
    'Refunded because you canceled it, in naira: the cost of the canceled recipients, and of the rows of a smartlist that were not read',
    396_000,
  )
  refunded: number;

  @OptionalTextField('`external_ref` of the request', 'order-1042')
  external_ref?: string;

  @TimeField('Time when the message was accepted')
  created_datetime: string;

  @TimeField('Time of your request to cancel it')
  canceled_datetime: string;

  @TimeField('Time when the last recipient was canceled or sent')
  ended_datetime: string;
}

export class ExpansionFailedCallbackData {
  @IdField('Id of the message')
  id: string;

  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @TextField(
    'Why its smartlist was not read to the end: a sentence for people',
    'smartlist_id does not match a smartlist of this table',
  )
  reason: string;

  @IntegerField('Number of recipients from the rows that were read before: the message is sent to them', 0)
  recipients: number;

  @NumberField('Refunded for the rows that were not read, in naira', 396_000)
  refunded: number;

  @OptionalTextField('`external_ref` of the request', 'order-1042')
  external_ref?: string;

  @TimeField('Time when the message was accepted')
  created_datetime: string;

  @TimeField('Time of the failure')
  failed_datetime: string;
}

/** A message to a number of the organisation. */
export class ReceivedCallbackData {
  @IdField('Id of the message: `GET /inbox/{id}`')
  id: string;

  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @TextField(
    'The number that received it: a phone number with country code, or a short code',
    '+2347000000001',
  )
  number: string;

  @TextField(
    'Phone number of the sender with country code; another id if the sender has no phone number',
    '+2347000000011',
  )
  sender: string;

  @TextField('Type of the message: `text`, or the type that WhatsApp names, such as `image`', 'text')
  type: string;

  @OptionalTextField('The text, or the caption; absent if there is none', 'Where is my order?')
  text?: string;

  @OptionalTimeField('When it was sent, if the provider says so')
  sent_datetime?: string;

  @TimeField('When it was received')
  received_datetime: string;
}
