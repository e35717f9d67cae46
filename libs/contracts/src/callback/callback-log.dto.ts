import { PageMeta, PageQuery } from '../pagination.dto.js';
import {
  EnumField,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  OptionalEnumField,
  OptionalIdField,
  OptionalIntegerField,
  OptionalObjectField,
  OptionalTextField,
  OptionalTimeField,
  TextField,
  TimeField,
} from '../schema/fields.js';
import { type CallbackType, callbackTypes } from './callback-events.js';
import { FailureReason } from '../reason.dto.js';

/** `pending`: another attempt will follow. `failed`: no attempt succeeded. `gone`: the receiver responded with 410. */
export const callbackStatuses = ['pending', 'delivered', 'failed', 'gone'] as const;

export type CallbackStatus = (typeof callbackStatuses)[number];

export class CallbackSummary {
  @IdField('Id of the callback; the `webhook-id` header of every attempt')
  id: string;

  @EnumField(callbackTypes, 'Type of the event', 'airtime.success')
  type: CallbackType;

  @IdField('Id of what the event is about, such as the message or purchase')
  resource_id: string;

  @OptionalIdField('Id of the endpoint; absent if it was sent to the `callback` URL of a request')
  endpoint_id?: string;

  @TextField('URL of the receiver', 'https://app.example/callbacks')
  url: string;

  @EnumField(
    callbackStatuses,
    '`pending` at first; then `delivered`, `failed` if all attempts failed, or `gone` if the receiver responded with 410',
    'pending',
  )
  status: CallbackStatus;

  @IntegerField('Number of attempts, including one in flight', 1)
  attempt_count: number;

  @TimeField('Time of creation')
  created_datetime: string;

  @OptionalTimeField('Time of the next attempt; absent while an attempt is in flight and after the last one')
  next_attempt_datetime?: string;

  @OptionalTimeField('Time of the delivery or of the final failure')
  ended_datetime?: string;
}

export class CallbackAttempt {
  @IntegerField('Number of the attempt, from 1', 1)
  attempt: number;

  @OptionalIntegerField('HTTP status of the response; absent without a complete response', 503)
  status?: number;

  @OptionalObjectField(FailureReason, 'Why there is no response; absent with a response')
  reason?: FailureReason;

  @OptionalTextField('The same as `reason.code`. It is removed in version 1.0', 'timeout', {
    deprecated: true,
  })
  error?: string;

  @OptionalTextField('Start of the response body as text; kept for some days', 'Service Unavailable')
  answer?: string;

  @TimeField('Start of the attempt')
  started_datetime: string;

  @OptionalTimeField('End of the attempt')
  ended_datetime?: string;
}

export class CallbackDetails extends CallbackSummary {
  @TextField('Id of the request that caused the callback', 'checkout-4711')
  request_id: string;

  @TextField('Exact body of the callback', '{"type":"airtime.success","timestamp":"…","data":{}}')
  body: string;

  @ListField(
    CallbackAttempt,
    'Finished attempts, newest first; old attempts are left out if there are very many',
  )
  attempts: CallbackAttempt[];
}

export class ListCallbacksRequest extends PageQuery {
  @OptionalEnumField(callbackStatuses, 'Return only callbacks with this status', 'failed')
  status?: CallbackStatus;

  @OptionalEnumField(callbackTypes, 'Return only callbacks of this type', 'airtime.success')
  type?: CallbackType;

  @OptionalIdField('Return only callbacks about the message, purchase … with this id')
  resource_id?: string;

  @OptionalIdField('Return only callbacks to the endpoint with this id')
  endpoint_id?: string;
}

export class CallbackPage {
  @ListField(CallbackSummary, 'Callbacks, newest first')
  callbacks: CallbackSummary[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}
