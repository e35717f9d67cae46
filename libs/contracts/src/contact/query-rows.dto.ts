import { IsIn, IsOptional, IsUUID, Max, Min } from 'class-validator';
import { RequestMeta } from '../pagination.dto.js';
import { ApiField, ApiSchema, exampleId } from '../schema/api-field.js';
import {
  EnumField,
  IntegerField,
  ListField,
  ObjectField,
  OptionalIntegerField,
  OptionalTextField,
  TextField,
} from '../schema/fields.js';
import { Nested } from '../validation/fields/nested.js';
import { type ContactFilter, FilterList } from './contact-filter.dto.js';
import { ContactRow, ContactRowQuery } from './contact-row.dto.js';
import { ContactTable } from './contact-table.dto.js';
import { Smartlist } from './smartlist.dto.js';

export const defaultContactPageSize = 100;
const maxContactPageSize = 1_000;
/** The rows that match filters are counted up to this number. */
export const maxContactCount = 100_000;

const filters = [{ name: 'Name', operator: 'contain', value: 'ada' }];

@ApiSchema({ examples: { filters: { filters } } })
export class ContactRowsQuery {
  @OptionalTextField('Smartlist whose filters apply in addition to `filters`', exampleId)
  @IsUUID(undefined, { message: '$property does not match a smartlist of this table' })
  smartlist_id?: string;

  @IsOptional()
  @FilterList()
  @ApiField('Filters and groups of filters; a row must match all of them', filters)
  filters?: ContactFilter[];
}

const sortOrders = ['asc', 'desc'] as const;

@ApiSchema({ rules: { anyOf: [{ required: ['column_id'] }, { required: ['name'] }] } })
export class ContactSort {
  @OptionalTextField('Id of the column', exampleId)
  column_id?: string;

  @OptionalTextField('Name of the column, if `column_id` is absent', 'Name')
  name?: string;

  @OptionalTextField('`asc`: smallest first (default); `desc`: largest first', 'desc')
  @IsIn(sortOrders)
  order?: (typeof sortOrders)[number];
}

@ApiSchema({ examples: { filters: { filters, sort: { name: 'Name', order: 'desc' } } } })
export class SortedContactRowsQuery extends ContactRowsQuery {
  @IsOptional()
  @Nested(ContactSort)
  @ApiField(
    `Sorts the rows by a column, if at most ${maxContactCount} rows match. NUMBER columns sort as numbers, DATE columns as times, all others as text without regard to case, by code point. Rows with an empty cell are last; rows with equal cells are sorted by id`,
    { name: 'Name', order: 'desc' },
  )
  sort?: ContactSort;
}

export class ContactPageQuery extends ContactRowQuery {
  @OptionalIntegerField(`Number of rows on a page. Default: ${defaultContactPageSize}`, 20)
  @Min(1)
  @Max(maxContactPageSize)
  per_page?: number;

  @OptionalIntegerField('Alias of `per_page`, which takes precedence')
  @Min(1)
  @Max(maxContactPageSize)
  limit?: number;

  @OptionalIntegerField('Page number, from 1', 1)
  @Min(1)
  page?: number;

  @OptionalTextField(
    'Continues an earlier query: its `meta.pagination.query_id`. Count and rows are those of the first request: rows that were added later are left out. Send it with the same filters, smartlist, sort order and `per_page`, within 15 minutes of its last use',
  )
  query_id?: string;
}

export class QueryContactRowsRequest {
  rows: SortedContactRowsQuery;
  page: ContactPageQuery;
}

const booleans = ['true', 'false'] as const;

export class ContactPagination {
  @EnumField(booleans, 'Whether there is a next page', 'true')
  next_page: 'true' | 'false';

  @EnumField(booleans, 'Whether there is a previous page', 'false')
  prev_page: 'true' | 'false';

  @IntegerField('Maximum number of rows on a page', defaultContactPageSize)
  per_page: number;

  @IntegerField(
    `Number of matching rows. With filters, the count stops at ${maxContactCount}, which then means this number or more; \`next_page\` is always exact`,
    250,
  )
  count_total: number;

  @IntegerField('Number of pages', 3)
  page_total: number;

  @IntegerField('Page number', 1)
  page: number;

  @TextField('Send it with the number of the next page to continue', exampleId)
  query_id: string;
}

export class ContactPageMeta extends RequestMeta {
  @ObjectField(ContactPagination, 'Position of this page in the result')
  pagination: ContactPagination;
}

export class ContactRowsPage {
  @ListField(ContactRow, 'Rows, oldest first unless they are sorted by a column')
  rows: ContactRow[];

  @ObjectField(ContactTable, 'Table of the rows')
  table: ContactTable;

  @ObjectField(Smartlist, 'Smartlist of the request, or the smartlist of all contacts')
  smartlist: Smartlist;

  @ObjectField(ContactPageMeta, 'Request and pagination')
  meta: ContactPageMeta;
}
