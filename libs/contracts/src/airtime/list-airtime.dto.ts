import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { IsTimestamp } from '../validation/is-moment.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';
import { type AirtimeStatus, airtimeStatuses } from './airtime-status.js';
import { AirtimePurchase } from './airtime.dto.js';

export const defaultAirtimePageSize = 50;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

export class FindAirtimeRequest {
  @Required()
  @IsString()
  id: string;
}

export class ListAirtimeRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiField(`How many purchases to answer with; ${defaultAirtimePageSize} unless it says otherwise`, 20)
  limit?: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Only purchases older than the one with this id: `meta.pagination.next` of the page before', id)
  before?: string;

  @IsOptional()
  @IsIn(airtimeStatuses)
  @ApiField('Only purchases with this status', 'failed')
  status?: AirtimeStatus;

  @IsOptional()
  @IsTimestamp()
  @ApiField(
    'Only purchases from this day or moment on; in UTC unless it says otherwise',
    '2026-11-01T00:00:00+01:00',
  )
  since?: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('Only purchases before this day or moment', '2026-12-01T00:00:00+01:00')
  until?: string;
}

export class AirtimePagination {
  @IsInt()
  @ApiField('How many purchases a page has at most', defaultAirtimePageSize)
  limit: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Ask for the next page with `before` set to this; absent on the last page', id)
  next?: string;
}

export class AirtimePageMeta {
  @IsString()
  @ApiField('The method that was used', 'GET')
  method: string;

  @IsString()
  @ApiField('The path that was asked', '/airtime')
  resource: string;

  @Nested(AirtimePagination)
  @ApiField('Which part of the whole this is')
  pagination: AirtimePagination;
}

export class AirtimePage {
  @NestedList(AirtimePurchase)
  @ApiField('The newest first')
  purchases: AirtimePurchase[];

  @Nested(AirtimePageMeta)
  @ApiField('About this answer')
  meta: AirtimePageMeta;
}
