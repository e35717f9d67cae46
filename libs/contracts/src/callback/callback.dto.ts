import { type Network, networks } from '../airtime/airtime-bounds.js';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { type OptOutSource, optOutSources } from '../opt-out/opt-out.dto.js';
import {
  BooleanField,
  EnumField,
  IdField,
  IntegerField,
  NumberField,
  OptionalIdField,
  OptionalIntegerField,
  OptionalObjectField,
  OptionalTextField,
  OptionalTimeField,
  TextField,
  TimeField,
} from '../schema/fields.js';

const messageStatuses = [
  'sent',
  'delivered',
  'read',
  'undelivered',
  'failed',
  'expired',
  'rejected',
] as const;
const otpCallbackStatuses = ['sent', 'verified', 'failed'] as const;
const importEnds = ['done', 'failed'] as const;
const purchaseStatuses = ['sent', 'success', 'failed', 'error', 'duplicate'] as const;

export class CallbackReason {
  @TextField('Code for programs', 'dnd')
  code: string;

  @TextField('Message for people', 'The recipient is on the do-not-disturb (DND) list')
  message: string;
}

/** The status of a message for one recipient. Never contains the text of the message, and of its links only one that was opened. */
export class MessageCallbackData {
  @IdField('Id of the message')
  id: string;

  @IdField('Id of the delivery to this recipient')
  delivery_id: string;

  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @TextField('Phone number as it was sent', '08031234567')
  recipient: string;

  @EnumField(messageStatuses, 'Status of the delivery', 'delivered')
  status: (typeof messageStatuses)[number];

  @OptionalObjectField(CallbackReason, 'Why it was not delivered; absent if nothing went wrong')
  reason?: CallbackReason;

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
    '+2348001234567',
  )
  number: string;

  @TextField(
    'Phone number of the sender with country code; another id if the sender has no phone number',
    '+2348031234567',
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

/** The status of an airtime purchase. */
export class PurchaseCallbackData {
  @IdField('Id of the purchase')
  id: string;

  @EnumField(networks, 'Network of the request', 'MTN')
  network: Network;

  @NumberField('Amount in naira', 500)
  amount: number;

  @OptionalIdField('`product_id` of the request; absent for airtime')
  product_id?: string;

  @TextField('Phone number as it was sent', '08031234567')
  recipient: string;

  @EnumField(purchaseStatuses, 'Status of the purchase', 'success')
  status: (typeof purchaseStatuses)[number];

  @BooleanField('Whether the money was refunded', false)
  refunded: boolean;

  @OptionalObjectField(CallbackReason, 'Why it did not succeed, or why the outcome is unknown')
  reason?: CallbackReason;

  @OptionalTextField('`external_ref` of the request', 'topup-77')
  external_ref?: string;

  @TimeField('Time when the purchase was accepted')
  created_datetime: string;

  @TimeField('Time when the status last changed')
  updated_datetime: string;
}

/** The status of an OTP. Never contains the token. */
export class OtpCallbackData {
  @IdField('Id of the OTP')
  id: string;

  @TextField('Phone number as it was sent', '08031234567')
  recipient: string;

  @EnumField(channels, 'Channel of the message; otherwise of the last message of the OTP', 'sms')
  channel: Channel;

  @EnumField(otpCallbackStatuses, 'What happened to the OTP', 'verified')
  status: (typeof otpCallbackStatuses)[number];

  @OptionalObjectField(CallbackReason, 'Only with `otp.failed`: why')
  reason?: CallbackReason;

  @TimeField('Time when the OTP was requested')
  created_datetime: string;

  @TimeField('Time when the status changed')
  updated_datetime: string;
}

/** The balance of the organisation has fallen below its threshold. The database writes it: `report_low_balance`. */
export class BalanceCallbackData {
  @NumberField('Available balance in naira', 4999.5)
  available_balance: number;

  @NumberField('Threshold in naira', 5000)
  threshold: number;

  @TextField('Currency, ISO 4217', 'NGN')
  currency: string;
}

/** An import of contacts that has ended. */
export class ImportCallbackData {
  @IdField('Id of the import')
  id: string;

  @EnumField(importEnds, '`done`: every line was imported or rejected; `failed`: see `reason`', 'done')
  state: (typeof importEnds)[number];

  @IntegerField('Number of processed lines without the header', 500_000)
  lines: number;

  @IntegerField('Number of lines that added a row', 499_000)
  created: number;

  @IntegerField('Number of lines that updated a row', 990)
  updated: number;

  @IntegerField('Number of invalid lines; they have no effect', 10)
  rejected: number;

  @OptionalTextField(
    'Why the import failed. Rows that were imported before are kept',
    'The quote that opens on line 17 is not closed',
  )
  reason?: string;

  @TimeField('Time of the request')
  created_datetime: string;

  @TimeField('Time of completion or failure')
  ended_datetime: string;
}

/** A number that gets no promotional messages of the organisation any more. */
export class OptOutCallbackData {
  @IdField('Id of the opt-out')
  id: string;

  @TextField('Phone number with country code', '+2348031234567')
  phone: string;

  @EnumField(channels, 'Channel of the opt-out', 'sms')
  channel: Channel;

  @EnumField(optOutSources, '`message`: the recipient sent a keyword; `api`: you requested it', 'message')
  source: OptOutSource;

  @TimeField('Time of the opt-out')
  created_datetime: string;
}

/** A test that the organisation requested. */
export class EndpointTestData {
  @IdField('Id of the endpoint')
  endpoint_id: string;

  @TextField('A text for people', 'This is a test of the endpoint')
  message: string;
}
