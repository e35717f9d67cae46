import { IsIn, IsInt, IsOptional, Min, ValidateBy } from 'class-validator';
import { defaultPageSize, Pagination, PeriodPageQuery, RequestMeta } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { type SmsStatus, smsStatuses } from './sms-status.js';
import { SmsMessage } from './sms.dto.js';

/** Pages are counted from the newest message: as far as this, and no statement counts further. */
export const deepestSmsPage = 10_000;
/** Of a message in a list. */
export const maxRecipientsListed = 100;

/** Further back one reads on from message to message, which costs the same at any depth. */
const IsWithinReach = (): PropertyDecorator =>
  ValidateBy({
    name: 'max',
    constraints: [deepestSmsPage],
    validator: {
      validate: (page: unknown, args) => {
        const { limit = defaultPageSize } = (args?.object ?? {}) as { readonly limit?: unknown };
        return typeof page !== 'number' || typeof limit !== 'number' || page * limit <= deepestSmsPage;
      },
      defaultMessage: () =>
        `$property must not reach beyond the newest ${deepestSmsPage} messages: read on with before`,
    },
  });

const StandsForBefore = (): PropertyDecorator =>
  ValidateBy({
    name: 'standsForBefore',
    validator: {
      validate: (_, args) => ((args?.object ?? {}) as ListSmsRequest).before === undefined,
      defaultMessage: () => '$property is instead of before: give one of them',
    },
  });

export class ListSmsRequest extends PeriodPageQuery {
  @IsOptional()
  @IsInt()
  @Min(1)
  @IsWithinReach()
  @StandsForBefore()
  @ApiField(
    `Instead of \`before\`: which page, counted from 1. Only the newest ${deepestSmsPage} messages can be reached so`,
  )
  page?: number;

  @IsOptional()
  @IsIn(smsStatuses)
  @ApiField('Only messages that have this status for one of their recipients', 'failed')
  status?: SmsStatus;
}

export class SmsPagination extends Pagination {
  @IsOptional()
  @IsInt()
  @ApiField('The `page` of the request', 2)
  page?: number;
}

export class SmsPageMeta extends RequestMeta {
  @Nested(SmsPagination)
  @ApiField('Position of this page in the list')
  pagination: SmsPagination;
}

/** A message in a list: bounded in size, however many it went to. */
export class ListedSms extends SmsMessage {
  @IsInt()
  @ApiField(`How many recipients it has, of which \`recipients\` shows the first ${maxRecipientsListed}`, 1)
  recipient_count: number;
}

export class SmsPage {
  @NestedList(ListedSms)
  @ApiField(
    'The newest first. `personalisation`, and all of the recipients, are told by `GET /sms/{id}` only',
  )
  messages: ListedSms[];

  @Nested(SmsPageMeta)
  @ApiField('About this answer')
  meta: SmsPageMeta;
}
