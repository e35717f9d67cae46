import { IsIn, IsInt, IsOptional, IsString, IsUUID } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { IsTimestamp } from '../validation/is-moment.js';
import { NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';
import { type CallbackStatus, callbackStatuses } from './callback-status.js';
import { airtimeCallbackTypes, type CallbackType, messageCallbackTypes } from './callback-types.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class FindCallbackRequest {
  @Required()
  @IsString()
  id: string;
}

export class CallbackSummary {
  @IsUUID()
  @ApiField('Its `webhook-id` on every attempt', id)
  id: string;

  @IsIn([...messageCallbackTypes, ...airtimeCallbackTypes])
  @ApiField('What it reports', 'airtime.success')
  type: CallbackType;

  @IsUUID()
  @ApiField('The message or purchase it is about', id)
  resource_id: string;

  @IsString()
  @ApiField('Where it is sent', 'https://example.com/callbacks')
  url: string;

  @IsIn(callbackStatuses)
  @ApiField(
    '`pending` until it ends; then `delivered`, `failed` when all attempts were in vain, or `gone` when the answer was 410',
    'pending',
  )
  status: CallbackStatus;

  @IsInt()
  @ApiField('How many attempts were made, the one under way included', 1)
  attempt_count: number;

  @IsTimestamp()
  @ApiField('When it was made', time)
  created_datetime: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('When it is tried next; absent while an attempt is under way, and at the end', time)
  next_attempt_datetime?: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('When it was delivered or given up', time)
  ended_datetime?: string;
}

export class CallbackAttempt {
  @IsInt()
  @ApiField('Counted from 1', 1)
  attempt: number;

  @IsOptional()
  @IsInt()
  @ApiField('The HTTP status of the answer, if there was a complete one', 503)
  status?: number;

  @IsOptional()
  @IsString()
  @ApiField('Why there was no answer, for programs', 'timeout')
  error?: string;

  @IsOptional()
  @IsString()
  @ApiField('The beginning of the answer, as text; kept for some days', 'Service Unavailable')
  answer?: string;

  @IsTimestamp()
  @ApiField('When it was made', time)
  started_datetime: string;

  @IsOptional()
  @IsTimestamp()
  @ApiField('When its outcome was known', time)
  ended_datetime?: string;
}

export class CallbackDetails extends CallbackSummary {
  @IsString()
  @ApiField('The id of the request that caused it', 'checkout-4711')
  request_id: string;

  @IsString()
  @ApiField('What is sent, byte for byte', '{"type":"airtime.success","timestamp":"…","data":{}}')
  body: string;

  @NestedList(CallbackAttempt)
  @ApiField('The attempts that have ended, the newest first; of very many the newest only')
  attempts: CallbackAttempt[];
}
