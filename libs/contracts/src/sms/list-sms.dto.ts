import { Min } from 'class-validator';
import { type Channel, channels, messageCategories, type MessageCategory } from '../delivery/delivery.dto.js';
import { defaultPageSize, Pagination, PeriodPageQuery, RequestMeta } from '../pagination.dto.js';
import {
  EnumField,
  IntegerField,
  ListField,
  ObjectField,
  OptionalEnumField,
  OptionalIntegerField,
  OptionalTextField,
} from '../schema/fields.js';
import { IsName, IsPhone, rule } from '../validation/fields/decorators.js';
import { SmsMessage, type SmsStatus, smsStatuses } from './sms.dto.js';

/** `page` reaches only the newest messages: an offset costs more the deeper it is. A cursor (`before`) does not. */
const maxMessagesByPage = 10_000;
/** A list shows this many recipients of each message. */
export const maxRecipientsListed = 100;

const IsReachablePage = rule(
  'max',
  (page, { limit = defaultPageSize }: { readonly limit?: unknown }) =>
    typeof page !== 'number' || typeof limit !== 'number' || page * limit <= maxMessagesByPage,
  `must not go beyond the newest ${maxMessagesByPage} messages: use before instead`,
  { args: [maxMessagesByPage] },
);

const ExcludesBefore = rule(
  'excludesBefore',
  (_, { before }: ListSmsRequest) => before === undefined,
  'cannot be combined with before',
);

export class ListSmsRequest extends PeriodPageQuery {
  @OptionalIntegerField(
    `Page number from 1, instead of \`before\`. Only for the newest ${maxMessagesByPage} messages`,
  )
  @Min(1)
  @IsReachablePage()
  @ExcludesBefore()
  page?: number;

  @OptionalEnumField(
    smsStatuses,
    'Status of a recipient, not of the message: return only messages with at least one recipient in it; with `recipient`, that one',
    'failed',
  )
  status?: SmsStatus;

  @OptionalTextField(
    'Return only messages to this recipient: a phone number in any common notation',
    '07000000001',
  )
  @IsPhone()
  recipient?: string;

  @OptionalTextField('Return only messages with this `external_ref`', 'order-17')
  @IsName(255)
  external_ref?: string;

  @OptionalEnumField(channels, 'Return only messages of this channel', 'sms')
  channel?: Channel;

  @OptionalEnumField(messageCategories, 'Return only messages of this category', 'promotional')
  category?: MessageCategory;
}

export class SmsPagination extends Pagination {
  @OptionalIntegerField('The `page` of the request', 2)
  page?: number;
}

export class SmsPageMeta extends RequestMeta {
  @ObjectField(SmsPagination, 'Position of this page in the list')
  pagination: SmsPagination;
}

/** A message in a list, with a bounded number of recipients. */
export class ListedSms extends SmsMessage {
  @IntegerField(`Number of recipients; \`recipients\` contains the first ${maxRecipientsListed}`, 1)
  recipient_count: number;

  @EnumField(channels, 'Channel of the message', 'sms')
  channel: Channel;

  @OptionalEnumField(
    messageCategories,
    'Category of the message; absent for messages that were sent before there were categories',
    'transactional',
  )
  category?: MessageCategory;
}

export class SmsPage {
  @ListField(
    ListedSms,
    'Messages, newest first. `GET /sms/{id}` returns `personalisation` and all recipients',
  )
  messages: ListedSms[];

  @ObjectField(SmsPageMeta, 'Request and pagination')
  meta: SmsPageMeta;
}
