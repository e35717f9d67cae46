import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { RequestMeta } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import type { ContactFilter } from './contact-filter.dto.js';
import { ContactRow } from './contact-row.dto.js';
import { ContactTable } from './contact-table.dto.js';
import { FilterList } from './filter-list.js';
import { Smartlist } from './smartlist.dto.js';

export const defaultContactPageSize = 100;
const longestContactPage = 1_000;
/** Rows that match filters are counted up to here. */
export const maxContactCount = 100_000;

const filters = [{ name: 'Name', operator: 'contain', value: 'ada' }];

export class ContactRowsQuery {
  @IsOptional()
  @IsString()
  @IsUUID(undefined, { message: '$property does not match a smartlist of this table' })
  @ApiField(
    'A smartlist whose filters apply, besides those given here',
    '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42',
  )
  smartlist_id?: string;

  @IsOptional()
  @FilterList()
  @ApiField('A row has to match all of them', filters)
  filters?: ContactFilter[];
}

export class ContactPageQuery {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(longestContactPage)
  @ApiField(`How many rows a page has; ${defaultContactPageSize} unless it says otherwise`, 20)
  per_page?: number;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(longestContactPage)
  @ApiField('Another name for `per_page`, which counts where both are given')
  limit?: number;

  @IsOptional()
  @IsInt()
  @Min(1)
  @ApiField('Which page, from 1', 1)
  page?: number;

  @IsOptional()
  @IsString()
  @ApiField(
    'Goes on with an earlier query, whose `meta.pagination.query_id` this is: its count is that of its first moment, and rows that were added since are not in it. To be sent with the same filters, smartlist and `per_page`, within 15 minutes of its last use',
  )
  query_id?: string;
}

export class QueryContactRowsRequest {
  @Nested(ContactRowsQuery)
  rows: ContactRowsQuery;

  @Nested(ContactPageQuery)
  page: ContactPageQuery;
}

const texts = ['true', 'false'] as const;

export class ContactPagination {
  @IsString()
  @IsIn(texts)
  @ApiField('Whether another page follows', 'true')
  next_page: 'true' | 'false';

  @IsString()
  @IsIn(texts)
  @ApiField('Whether there is a page before this one', 'false')
  prev_page: 'true' | 'false';

  @IsInt()
  @ApiField('How many rows a page has at most', defaultContactPageSize)
  per_page: number;

  @IsInt()
  @ApiField(
    `How many rows match. With filters it is counted up to ${maxContactCount}: this number then means so many or more, and \`next_page\` tells whether there are more`,
    250,
  )
  count_total: number;

  @IsInt()
  @ApiField('How many pages that makes', 3)
  page_total: number;

  @IsInt()
  @ApiField('Which page this is', 1)
  page: number;

  @IsString()
  @ApiField('Send it with the next page’s number to go on', '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42')
  query_id: string;
}

export class ContactPageMeta extends RequestMeta {
  @Nested(ContactPagination)
  @ApiField('Which part of the whole this is')
  pagination: ContactPagination;
}

export class ContactRowsPage {
  @NestedList(ContactRow)
  @ApiField('The oldest first')
  rows: ContactRow[];

  @Nested(ContactTable)
  @ApiField('The table that they are in')
  table: ContactTable;

  @Nested(Smartlist)
  @ApiField('The smartlist that was named, or else the one of all contacts')
  smartlist: Smartlist;

  @Nested(ContactPageMeta)
  @ApiField('About this answer')
  meta: ContactPageMeta;
}
