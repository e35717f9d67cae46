import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageMeta, PageQuery } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { IntegerField, OptionalIntegerField, OptionalTextField, TextField } from '../schema/fields.js';
import { IsTimestamp } from '../validation/decorators.js';
import { Nested, NestedList } from '../validation/nested.js';
import { airtimeCallbackTypes, type CallbackType, messageCallbackTypes } from './callback.dto.js';

/** `pending`: another attempt will follow. `failed`: no attempt succeeded. `gone`: the receiver responded with 410. */
export const callbackStatuses = ['pending', 'delivered', 'failed', 'gone'] as const;

export type CallbackStatus = (typeof callbackStatuses)[number];

export class CallbackSummary {
  @IsUUID()
  @ApiField('Id of the callback; the `webhook-id` header of every attempt', exampleId)
  id: string;

  @IsIn([...messageCallbackTypes, ...airtimeCallbackTypes])
  @ApiField('Type of the event', 'airtime.success')
  type: CallbackType;

  @IsUUID()
  @ApiField('Id of the message or purchase', exampleId)
  resource_id: string;

  @TextField('URL of the receiver', 'https://example.com/callbacks')
  url: string;

  @IsIn(callbackStatuses)
  @ApiField(
    '`pending` at first; then `delivered`, `failed` if all attempts failed, or `gone` if the receiver responded with 410',
    'pending',
  )
  status: CallbackStatus;

  @IntegerField('Number of attempts, including one in flight', 1)
  attempt_count: number;

  @IsTimestamp()
  @ApiField('Time of creation', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField(
    'Time of the next attempt; absent while an attempt is in flight and after the last one',
    exampleTime,
  )
  next_attempt_datetime?: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('Time of the delivery or of the final failure', exampleTime)
  ended_datetime?: string;
}

export class CallbackAttempt {
  @IntegerField('Number of the attempt, from 1', 1)
  attempt: number;

  @OptionalIntegerField('HTTP status of the response; absent without a complete response', 503)
  status?: number;

  @OptionalTextField('Code of the error; absent with a response', 'timeout')
  error?: string;

  @OptionalTextField('Start of the response body as text; kept for some days', 'Service Unavailable')
  answer?: string;

  @IsTimestamp()
  @ApiField('Start of the attempt', exampleTime)
  started_datetime: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('End of the attempt', exampleTime)
  ended_datetime?: string;
}

export class CallbackDetails extends CallbackSummary {
  @TextField('Id of the request that caused the callback', 'checkout-4711')
  request_id: string;

  @TextField('Exact body of the callback', '{"type":"airtime.success","timestamp":"…","data":{}}')
  body: string;

  @NestedList(CallbackAttempt)
  @ApiField('Finished attempts, newest first; old attempts are left out if there are very many')
  attempts: CallbackAttempt[];
}

export class ListCallbacksRequest extends PageQuery {
  @IsOptional()
  @IsIn(callbackStatuses)
  @ApiField('Return only callbacks with this status', 'failed')
  status?: CallbackStatus;

  @IsOptional()
  @IsIn([...messageCallbackTypes, ...airtimeCallbackTypes])
  @ApiField('Return only callbacks of this type', 'airtime.success')
  type?: CallbackType;

  @IsOptional()
  @IsUUID()
  @ApiField('Return only callbacks of the message or purchase with this id', exampleId)
  resource_id?: string;
}

export class CallbackPage {
  @NestedList(CallbackSummary)
  @ApiField('Callbacks, newest first')
  callbacks: CallbackSummary[];

  @Nested(PageMeta)
  @ApiField('Request and pagination')
  meta: PageMeta;
}
