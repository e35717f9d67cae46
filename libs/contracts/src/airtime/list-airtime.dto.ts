import { IsIn, IsOptional, IsString } from 'class-validator';
import { PageMeta, PeriodPageQuery } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';
import { type AirtimeStatus, airtimeStatuses } from './airtime-status.js';
import { AirtimePurchase } from './airtime.dto.js';

export class FindAirtimeRequest {
  @Required()
  @IsString()
  id: string;
}

export class ListAirtimeRequest extends PeriodPageQuery {
  @IsOptional()
  @IsIn(airtimeStatuses)
  @ApiField('Only purchases with this status', 'failed')
  status?: AirtimeStatus;
}

export class AirtimePage {
  @NestedList(AirtimePurchase)
  @ApiField('The newest first')
  purchases: AirtimePurchase[];

  @Nested(PageMeta)
  @ApiField('About this answer')
  meta: PageMeta;
}
