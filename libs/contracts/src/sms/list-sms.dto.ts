import { Min } from 'class-validator';
import { defaultPageSize, Pagination, PeriodPageQuery, RequestMeta } from '../pagination.dto.js';
import {
  IntegerField,
  ListField,
  ObjectField,
  OptionalEnumField,
  OptionalIntegerField,
} from '../schema/fields.js';
import { rule } from '../validation/fields/decorators.js';
import { SmsMessage, type SmsStatus, smsStatuses } from './sms.dto.js';

/** `page` reaches only the newest messages: an offset costs more the deeper it is. A cursor (`before`) does not. */
const maxMessagesByPage = 10_000;
/** For each message in a list. */
export const maxRecipientsListed = 100;

const IsReachablePage = rule(
  'max',
  (page, { limit = defaultPageSize }: { readonly limit?: unknown }) =>
    typeof page !== 'number' || typeof limit !== 'number' || page * limit <= maxMessagesByPage,
  `must not go beyond the newest ${maxMessagesByPage} messages: use before instead`,
  [maxMessagesByPage],
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
    'Return only messages with this status for at least one recipient',
    'failed',
  )
  status?: SmsStatus;
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
