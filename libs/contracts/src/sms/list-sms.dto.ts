import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { Describe } from '../schema/describe.js';
import { IsMoment } from '../validation/is-moment.js';
import { Nested, NestedList } from '../validation/nested.js';
import { type SmsStatus, smsStatuses } from './sms-status.js';
import { SmsMessage } from './sms.dto.js';

export const usualSmsPage = 50;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

export class ListSmsRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  @Describe(`How many messages to answer with; ${usualSmsPage} unless it says otherwise`, 20)
  limit?: number;

  @IsOptional()
  @IsUUID()
  @Describe('Only messages older than the one with this id: `meta.pagination.next` of the page before', id)
  before?: string;

  @IsOptional()
  @IsIn(smsStatuses)
  @Describe('Only messages that have this status for one of their recipients', 'failed')
  status?: SmsStatus;

  @IsOptional()
  @IsMoment()
  @Describe(
    'Only messages from this day or moment on; in UTC unless it says otherwise',
    '2026-11-01T00:00:00+01:00',
  )
  since?: string;

  @IsOptional()
  @IsMoment()
  @Describe('Only messages before this day or moment', '2026-12-01T00:00:00+01:00')
  until?: string;
}

export class SmsPagination {
  @IsInt()
  @Describe('How many messages a page has at most', usualSmsPage)
  limit: number;

  @IsOptional()
  @IsUUID()
  @Describe('Ask for the next page with `before` set to this; absent on the last page', id)
  next?: string;
}

export class SmsPageMeta {
  @IsString()
  @Describe('The method that was used', 'GET')
  method: string;

  @IsString()
  @Describe('The path that was asked', '/sms')
  resource: string;

  @Nested(SmsPagination)
  @Describe('Which part of the whole this is')
  pagination: SmsPagination;
}

export class SmsPage {
  @NestedList(SmsMessage)
  @Describe('The newest first')
  messages: SmsMessage[];

  @Nested(SmsPageMeta)
  @Describe('About this answer')
  meta: SmsPageMeta;
}
