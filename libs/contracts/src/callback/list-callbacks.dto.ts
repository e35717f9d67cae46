import { IsIn, IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { type CallbackStatus, callbackStatuses } from './callback-status.js';
import { airtimeCallbackTypes, type CallbackType, messageCallbackTypes } from './callback-types.js';
import { CallbackSummary } from './find-callback.dto.js';

export const defaultCallbackPageSize = 50;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

export class ListCallbacksRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiField(`How many callbacks to answer with; ${defaultCallbackPageSize} unless it says otherwise`, 20)
  limit?: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Only callbacks older than the one with this id: `meta.pagination.next` of the page before', id)
  before?: string;

  @IsOptional()
  @IsIn(callbackStatuses)
  @ApiField('Only callbacks with this status', 'failed')
  status?: CallbackStatus;

  @IsOptional()
  @IsIn([...messageCallbackTypes, ...airtimeCallbackTypes])
  @ApiField('Only callbacks of this type', 'airtime.success')
  type?: CallbackType;

  @IsOptional()
  @IsUUID()
  @ApiField('Only callbacks about the message or purchase with this id', id)
  resource_id?: string;
}

export class CallbackPagination {
  @IsInt()
  @ApiField('How many callbacks a page has at most', defaultCallbackPageSize)
  limit: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Ask for the next page with `before` set to this; absent on the last page', id)
  next?: string;
}

export class CallbackPageMeta {
  @IsString()
  @ApiField('The method that was used', 'GET')
  method: string;

  @IsString()
  @ApiField('The path that was asked', '/callbacks')
  resource: string;

  @Nested(CallbackPagination)
  @ApiField('Which part of the whole this is')
  pagination: CallbackPagination;
}

export class CallbackPage {
  @NestedList(CallbackSummary)
  @ApiField('The newest first')
  callbacks: CallbackSummary[];

  @Nested(CallbackPageMeta)
  @ApiField('About this answer')
  meta: CallbackPageMeta;
}
