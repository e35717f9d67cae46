import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageMeta, PageQuery } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { type CallbackStatus, callbackStatuses } from './callback-status.js';
import { airtimeCallbackTypes, type CallbackType, messageCallbackTypes } from './callback-types.js';
import { CallbackSummary } from './find-callback.dto.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

export class ListCallbacksRequest extends PageQuery {
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

export class CallbackPage {
  @NestedList(CallbackSummary)
  @ApiField('The newest first')
  callbacks: CallbackSummary[];

  @Nested(PageMeta)
  @ApiField('About this answer')
  meta: PageMeta;
}
