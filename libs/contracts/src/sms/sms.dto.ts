import { failedDeliveryStatuses } from '../delivery/delivery.dto.js';
import { Pagination, RequestMeta } from '../pagination.dto.js';
import { exampleId, exampleTime } from '../schema/api-field.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  OptionalNumberField,
  OptionalObjectField,
  OptionalTextField,
  TextField,
  TextListField,
} from '../schema/fields.js';
import { SmsPersonalisation } from './send-sms.dto.js';

/** The statuses of a delivery, also of an OTP, which cannot be canceled. */
export const sendStatuses = ['queued', 'sent', 'delivered', 'read', ...failedDeliveryStatuses] as const;
export const smsStatuses = [...sendStatuses, 'canceled'] as const;

/** The status of a message for one recipient; all but the first two are final, but `delivered` may become `read`. */
export type SmsStatus = (typeof smsStatuses)[number];
export type SendStatus = (typeof sendStatuses)[number];

/** The status of a message as a whole. */
export const messageStatuses = ['scheduled', 'processing', 'paused', 'completed', 'canceled'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

const encodings = ['GSM-7', 'UCS-2'] as const;

export class SmsSize {
  @EnumField(
    encodings,
    'Encoding of the longest text: `GSM-7`, or `UCS-2` if it contains a character outside of GSM-7',
    'GSM-7',
  )
  encoding: (typeof encodings)[number];

  @IntegerField('Length of the longest text in characters of the encoding', 20)
  message_length: number;

  @IntegerField('Pages of the longest text; 1 for WhatsApp', 1)
  pages: number;
}

export class SmsEstimate extends SmsSize {
  @NumberField('Available balance after the message, in naira', 9996)
  available_balance: number;

  @NumberField('Cost of the message in naira: pages times price, for each recipient', 4)
  charge: number;
}

export class SmsMeta extends RequestMeta {
  @ObjectField(SmsEstimate, 'Cost of the message')
  estimate: SmsEstimate;

  @OptionalNumberField('Only in `GET /sms/{id}`, without `after`: what was refunded so far, in naira', 0)
  refunded?: number;

  @OptionalObjectField(
    Pagination,
    'Only in `GET /sms/{id}` of a message to a smartlist: position of this page in the deliveries',
  )
  pagination?: Pagination;
}

export class SmsMessage {
  @TextField('Id of the message', exampleId)
  id: string;

  @EnumField(
    messageStatuses,
    '`scheduled` until the time to send it, then `processing`; `completed` when no recipient waits to be sent any more; `paused` or `canceled` if you did that',
    'processing',
  )
  status: MessageStatus;

  @TextListField(
    'Recipients of the request without duplicates; empty for a smartlist. `erased` in place of a number whose data was erased',
    ['07000000001'],
  )
  recipients: string[];

  @OptionalTextField('`smartlist_id` of the request', exampleId)
  smartlist_id?: string;

  @OptionalTextField('`reply_to` of the request', exampleId)
  reply_to?: string;

  @TextField('Sender of the message', 'Gangan')
  sender_id: string;

  @BooleanField('Whether links are replaced by short links', false)
  is_trackable: boolean;

  @TextField(
    'Text of the request, or the body of the template, with placeholders and original links',
    'Your order has left.',
  )
  content: string;

  @OptionalTextField('`external_ref` of the request', 'order-17')
  external_ref?: string;

  @OptionalTextField('`callback` of the request', 'https://app.example/callbacks')
  callback?: string;

  @OptionalTextField('`template_id` of the request', '01900000-0000-7000-8000-000000000006')
  template_id?: string;

  @ListField(
    SmsPersonalisation,
    '`personalisation` of the request, only with placeholders of the template; always empty in lists',
  )
  personalisation: SmsPersonalisation[];

  @OptionalTextField('`send_at` of the request', exampleTime)
  send_at?: string;

  @TextField('Time of acceptance', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last status change of a recipient', exampleTime)
  updated_datetime?: string;

  @ObjectField(SmsMeta, 'Request and cost')
  meta: SmsMeta;
}
