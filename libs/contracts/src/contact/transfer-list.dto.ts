import { IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { Nested } from '../validation/nested.js';

export const defaultTransferPageSize = 20;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

/** Of imports and of exports. */
export class ListContactTransfersRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiField(`How many to answer with; ${defaultTransferPageSize} unless it says otherwise`, 10)
  limit?: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Only those older than the one with this id: `meta.pagination.next` of the page before', id)
  before?: string;
}

export class ContactTransferPagination {
  @IsInt()
  @ApiField('How many a page has at most', defaultTransferPageSize)
  limit: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Ask for the next page with `before` set to this; absent on the last page', id)
  next?: string;
}

export class ContactTransferPageMeta {
  @IsString()
  @ApiField('The method that was used', 'GET')
  method: string;

  @IsString()
  @ApiField('The path that was asked', '/lists/contact/imports')
  resource: string;

  @Nested(ContactTransferPagination)
  @ApiField('Which part of the whole this is')
  pagination: ContactTransferPagination;
}
