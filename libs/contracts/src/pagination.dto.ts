import { Max, Min } from 'class-validator';
import {
  IntegerField,
  ObjectField,
  OptionalIdField,
  OptionalIntegerField,
  OptionalTimeField,
  TextField,
} from './schema/fields.js';

export const defaultPageSize = 50;

/** Pages of a list that is sorted from new to old; `before` is the cursor. */
export class PageQuery {
  @OptionalIntegerField(`Maximum number of items on the page. Default: ${defaultPageSize}`, 20)
  @Min(1)
  @Max(100)
  limit?: number;

  @OptionalIdField(
    'Return only items older than the item with this id: `meta.pagination.next` of the previous page',
  )
  before?: string;
}

export class PeriodPageQuery extends PageQuery {
  @OptionalTimeField(
    'Return only items created at or after this date or time. Default time zone: UTC',
    '2026-11-01T00:00:00+01:00',
  )
  since?: string;

  @OptionalTimeField('Return only items created before this date or time', '2026-12-01T00:00:00+01:00')
  until?: string;
}

export class Pagination {
  @IntegerField('Maximum number of items on a page', defaultPageSize)
  limit: number;

  @OptionalIdField(
    'Cursor of the next page: send it as `before` (deliveries of a message and products: as `after`). Absent on the last page',
  )
  next?: string;
}

/** The request that a response belongs to. */
export class RequestMeta {
  @TextField('HTTP method of the request', 'GET')
  method: string;

  @TextField('Path of the request', '/sms')
  resource: string;
}

export class PageMeta extends RequestMeta {
  @ObjectField(Pagination, 'Position of this page in the list')
  pagination: Pagination;
}
