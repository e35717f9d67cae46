import { type Channel, channels, messageCategories, type MessageCategory } from '../delivery/delivery.dto.js';
import { FailureReason } from '../reason.dto.js';
import { exampleId, exampleTime } from '../schema/api-field.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  OptionalEnumField,
  OptionalIdField,
  OptionalNumberField,
  OptionalObjectField,
  OptionalTextField,
  TextField,
} from '../schema/fields.js';
import { SmsMessage, type SmsStatus, smsStatuses } from './sms.dto.js';

export class SmsDeliveriesQuery {
  @OptionalIdField(
    'Return only deliveries after the one with this id: `meta.pagination.next` of the previous page. Only for messages to a smartlist',
  )
  after?: string;
}

export class FindSmsRequest extends SmsDeliveriesQuery {
  id: string;
}

/** The description of a field that is kept beside its successor. */
const earlierName = 'The same as `reason`, under its earlier name. It is removed in version 1.0';

export class SmsLink {
  @OptionalTextField('The original URL; absent if it is no longer known', 'https://example.com/orders/17')
  url?: string;

  @TextField('The short link in the text', 'https://sms.example/l/4fzJqk3mVtG2bq0XyN8LZw')
  short_url: string;

  @IntegerField('How often it was opened', 2)
  clicks: number;

  @OptionalTextField('When it was last opened', exampleTime)
  last_clicked_datetime?: string;
}

export class SmsAttempt {
  @IntegerField('Number of the attempt, from 1', 1)
  attempt: number;

  @OptionalTextField(
    'Name of the provider. Messages of a live organisation have it only if the operator allows that',
    'simulator',
  )
  provider?: string;

  @OptionalTextField('Outcome; absent while it is unknown', 'accepted')
  outcome?: string;

  @OptionalObjectField(FailureReason, 'Why the provider did not accept the message')
  reason?: FailureReason;

  @OptionalObjectField(FailureReason, earlierName, { deprecated: true })
  error?: FailureReason;

  @TextField('Start of the call to the provider', exampleTime)
  started_datetime: string;

  @OptionalTextField('End of the call', exampleTime)
  ended_datetime?: string;
}

export class SmsDelivery {
  @TextField('Id of the delivery', exampleId)
  id: string;

  @TextField('Recipient as in the request', '07000000001')
  recipient: string;

  @EnumField(
    smsStatuses,
    '`queued` at first; `sent` when a carrier has accepted the message; then `delivered`, `undelivered` or `expired`. On WhatsApp `read` follows `delivered`, or replaces it. `rejected` if it cannot be delivered and no carrier was called, `failed` if no carrier accepted it, `canceled` if you canceled the message before',
    'delivered',
  )
  status: SmsStatus;

  @OptionalObjectField(
    FailureReason,
    'Why the message was not delivered, or why it waits: `quiet_hours` until `waits_until`',
  )
  reason?: FailureReason;

  @OptionalTextField('End of the quiet hours for which a `queued` message waits', exampleTime)
  waits_until?: string;

  @OptionalObjectField(FailureReason, earlierName, { deprecated: true })
  error?: FailureReason;

  @OptionalTextField(
    'The text for this recipient as it is sent, with substitutions and short links; absent if it is no longer known',
    'Dear Ada, your order has left: https://sms.example/l/4fzJqk3mVtG2bq0XyN8LZw',
  )
  text?: string;

  @ListField(SmsLink, 'Short links in the text, in their order; empty if the message is not trackable')
  links: SmsLink[];

  @IntegerField('Pages of the text for this recipient', 1)
  pages: number;

  @NumberField('Cost of this recipient in naira', 4)
  charge: number;

  @BooleanField('Whether the cost was refunded', false)
  refunded: boolean;

  @TextField('Time of acceptance', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last status change', exampleTime)
  updated_datetime?: string;

  @ListField(SmsAttempt, 'Calls to providers, oldest first')
  attempts: SmsAttempt[];
}

export const expansionStates = ['expanding', 'done', 'failed', 'canceled'] as const;
export type ExpansionState = (typeof expansionStates)[number];

export class SmsExpansion {
  @EnumField(
    expansionStates,
    '`expanding` at first, then `done`; `failed` if it made no progress for a long time, or if the smartlist of a scheduled message could not be read: the deliveries made so far are sent, the rest is refunded; `canceled` if you canceled the message before its end',
    'done',
  )
  state: ExpansionState;

  @IntegerField('Number of rows read; each counts in exactly one of the fields below', 250)
  rows: number;

  @IntegerField('Rows with a delivery', 240)
  recipients: number;

  @IntegerField('Rows with the phone number of an earlier row', 5)
  duplicates: number;

  @IntegerField('Rows without a phone number', 3)
  without_number: number;

  @IntegerField('Rows whose text is empty or too long', 2)
  unsendable: number;

  @IntegerField(
    'Rows that were added or changed and exceed the amount charged. Those of a scheduled message have a delivery, `rejected` with the reason `unaffordable`',
    0,
  )
  unaffordable: number;

  @IntegerField('Rows of a promotional message whose number has opted out', 0)
  opted_out: number;

  @NumberField('Cost of the deliveries in naira', 960)
  charge: number;

  @OptionalNumberField(
    'Charged in addition when the smartlist of a scheduled message was read, because it had grown, in naira',
    400,
  )
  growth_charge?: number;

  @OptionalTextField('Why the expansion is `failed`', 'smartlist_id does not match a smartlist of this table')
  reason?: string;

  @OptionalNumberField('Refunded part of the charges in naira; absent until the expansion has ended', 4_040)
  returned?: number;

  @OptionalTextField('End of the expansion', exampleTime)
  ended_datetime?: string;
}

export class SmsDetails extends SmsMessage {
  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @OptionalEnumField(
    messageCategories,
    'Category of the message; absent for messages that were sent before there were categories',
    'transactional',
  )
  category?: MessageCategory;

  @ListField(SmsDelivery, 'Deliveries, one for each recipient')
  deliveries: SmsDelivery[];

  @OptionalObjectField(SmsExpansion, 'Progress of the expansion of the smartlist into deliveries')
  expansion?: SmsExpansion;
}
