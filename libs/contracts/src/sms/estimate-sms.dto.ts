import { RequestMeta } from '../pagination.dto.js';
import { FailureReason } from '../reason.dto.js';
import {
  BooleanField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  OptionalIntegerField,
  TextField,
} from '../schema/fields.js';
import { SmsSize } from './sms.dto.js';

export class RejectedRecipient {
  @TextField('The recipient as in the request', '07000000001')
  recipient: string;

  @ObjectField(FailureReason, 'Why nothing would be sent to it: `opted_out`, `dnd` or `window_closed`')
  reason: FailureReason;
}

export class SmsPrice extends SmsSize {
  @OptionalIntegerField(
    'Only if a provider that may get the message counts more pages than we do: the most that it counts for one of the texts. The charge is that of `pages`',
    2,
  )
  provider_pages?: number;

  @NumberField('Available balance in naira; nothing is charged', 10000)
  available_balance: number;

  @NumberField(
    'What `POST /sms/send` would charge now, in naira. For a smartlist an upper bound: what is not needed is refunded',
    4,
  )
  charge: number;
}

export class EstimateMeta extends RequestMeta {
  @ObjectField(SmsPrice, 'Cost of the message')
  estimate: SmsPrice;
}

export class EstimatedSms {
  @TextField('The text as given, or that of the template, with its placeholders', 'Your order has left.')
  content: string;

  @IntegerField(
    'Recipients without duplicates, including rejected ones; for a smartlist the contacts that match it',
    1,
  )
  recipient_count: number;

  @BooleanField('Whether the available balance covers the charge', true)
  affordable: boolean;

  @ListField(
    RejectedRecipient,
    'Recipients to whom nothing would be sent; always empty for a smartlist, whose contacts are checked when it is sent',
  )
  rejected: RejectedRecipient[];

  @ObjectField(EstimateMeta, 'Request and cost')
  meta: EstimateMeta;
}
