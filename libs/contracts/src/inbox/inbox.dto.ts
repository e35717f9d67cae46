import { ReceivedCallbackData } from '../callback/message-callback.dto.js';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { PageMeta, PeriodPageQuery } from '../pagination.dto.js';
import { ListField, ObjectField, OptionalEnumField, OptionalTextField } from '../schema/fields.js';
import { IsName } from '../validation/fields/decorators.js';

const maxLength = 128;

export class ListInboxRequest extends PeriodPageQuery {
  @OptionalTextField(
    'Return only messages to this number of yours: a phone number in any common notation, or a short code',
    '+2347000000001',
  )
  @IsName(maxLength)
  number?: string;

  @OptionalTextField(
    'Return only messages of this sender: a phone number in any common notation, or `sender` of a message',
    '07000000011',
  )
  @IsName(maxLength)
  sender?: string;

  @OptionalEnumField(channels, 'Return only messages of this channel', 'sms')
  channel?: Channel;
}

/** A message that the organisation received; `message.received` has the same fields. */
export class InboxMessage extends ReceivedCallbackData {}

export class InboxPage {
  @ListField(InboxMessage, 'Messages, newest first')
  messages: InboxMessage[];

  @ObjectField(PageMeta, 'The request, and where the next page starts')
  meta: PageMeta;
}
