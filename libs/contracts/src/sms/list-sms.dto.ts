import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, Min, ValidateBy } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { IsTimestamp } from '../validation/is-moment.js';
import { Nested, NestedList } from '../validation/nested.js';
import { type SmsStatus, smsStatuses } from './sms-status.js';
import { SmsMessage } from './sms.dto.js';

export const defaultSmsPageSize = 50;
/** Pages are counted from the newest message: as far as this, and no statement counts further. */
export const deepestSmsPage = 10_000;
/** Of a message in a list. */
export const maxRecipientsListed = 100;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

/** Further back one reads on from message to message, which costs the same at any depth. */
const IsWithinReach = (): PropertyDecorator =>
  ValidateBy({
    name: 'max',
    constraints: [deepestSmsPage],
    validator: {
      validate: (page: unknown, args) => {
        const { limit = defaultSmsPageSize } = (args?.object ?? {}) as { readonly limit?: unknown };
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

export class ListSmsRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiField(`How many messages to answer with; ${defaultSmsPageSize} unless it says otherwise`, 20)
  limit?: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Only messages older than the one with this id: `meta.pagination.next` of the page before', id)
  before?: string;

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

  @IsOptional()
  @IsTimestamp()
  @ApiField(
    'Only messages from this day or moment on; in UTC unless it says otherwise',
    '2026-11-01T00:00:00+01:00',
  )
  since?: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('Only messages before this day or moment', '2026-12-01T00:00:00+01:00')
  until?: string;
}

export class SmsPagination {
  @IsInt()
  @ApiField('How many messages a page has at most', defaultSmsPageSize)
  limit: number;

  @IsOptional()
  @IsInt()
  @ApiField('As it was asked for', 2)
  page?: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Ask for the next page with `before` set to this; absent on the last page', id)
  next?: string;
}

export class SmsPageMeta {
  @IsString()
  @ApiField('The method that was used', 'GET')
  method: string;

  @IsString()
  @ApiField('The path that was asked', '/sms')
  resource: string;

  @Nested(SmsPagination)
  @ApiField('Which part of the whole this is')
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
