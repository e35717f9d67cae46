import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, Max, Min } from 'class-validator';
import { RequestMeta } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import {
  BooleanField,
  IdField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  OptionalBooleanField,
  OptionalEnumField,
  OptionalIntegerField,
  OptionalTextField,
  OptionalTimeField,
  TextField,
  TextListField,
  TimeField,
} from '../schema/fields.js';
import { IsCallbackUrl } from '../validation/fields/callback-url.js';
import { combine, MaxLength, OneLine, Required } from '../validation/fields/decorators.js';
import { type CallbackType, defaultEndpointEvents, endpointEvents } from './callback-events.js';
import { type CallbackStatus, callbackStatuses } from './callback-log.dto.js';

export const maxEndpoints = 20;
export const defaultOverlapHours = 24;

const exampleUrl = 'https://app.example/callbacks';
const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8vHqVh2nQ0c=';
const exampleEvents = ['message.delivered', 'message.undelivered'];

const EventsField = (text: string): PropertyDecorator =>
  combine(
    IsOptional(),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(100),
    IsIn(endpointEvents, { each: true }),
    ApiField(text, exampleEvents),
  );

const DescriptionField = (text: string): PropertyDecorator =>
  combine(OptionalTextField(text, 'Delivery reports of the shop'), OneLine(), MaxLength(255));

export class CreateEndpointRequest {
  @Required()
  @IsCallbackUrl()
  @ApiField('URL that receives the events', exampleUrl)
  url: string;

  @EventsField(
    `Types of the events that it receives; \`message.received\` needs a key with the scope \`sms:read\`. Default: ${defaultEndpointEvents.map((type) => `\`${type}\``).join(', ')}; without that scope, all of them but \`message.received\``,
  )
  events?: CallbackType[];

  @DescriptionField('Description for people')
  description?: string;

  @OptionalBooleanField('Whether it receives events. Default: true', true)
  enabled?: boolean;
}

/** What the gateway knows of the key, for a request that decides what an endpoint receives. */
interface ByKey {
  /** Whether the key has the scope `sms:read`: only such a key lets an endpoint receive the texts of messages. */
  reads_messages: boolean;
}

export class NewEndpointRequest extends CreateEndpointRequest implements ByKey {
  reads_messages: boolean;
}

/** Absent fields are not changed. */
export class ChangeEndpointFields {
  @IsOptional()
  @IsCallbackUrl()
  @ApiField('New URL; callbacks that wait are sent to it too', exampleUrl)
  url?: string;

  @EventsField('New types of events; they replace the current ones')
  events?: CallbackType[];

  @DescriptionField('New description; an empty text removes it')
  description?: string;

  @OptionalBooleanField('Whether it receives events', false)
  enabled?: boolean;
}

export class ChangeEndpointRequest extends ChangeEndpointFields implements ByKey {
  id: string;
  reads_messages: boolean;
}

export class CallbackEndpoint {
  @IdField('Id of the endpoint')
  id: string;

  @TextField('URL that receives the events', exampleUrl)
  url: string;

  @TextListField('Types of the events that it receives', exampleEvents)
  events: string[];

  @OptionalTextField('Description for people', 'Delivery reports of the shop')
  description?: string;

  @BooleanField('Whether it receives events', true)
  enabled: boolean;

  @TimeField('Time of creation')
  created_datetime: string;

  @OptionalTimeField('Time of the last change')
  updated_datetime?: string;
}

export class NewCallbackEndpoint extends CallbackEndpoint {
  @TextField('Secret that signs the callbacks of this endpoint. It is not shown again', exampleSecret)
  secret: string;
}

export class CallbackEndpoints {
  @ListField(CallbackEndpoint, 'All endpoints of the organisation, oldest first')
  endpoints: CallbackEndpoint[];

  @ObjectField(RequestMeta, 'Request')
  meta: RequestMeta;
}

export class RotateSecretFields {
  @OptionalIntegerField(
    `How long the current secret still signs, beside the new one, in hours. Default: ${defaultOverlapHours}`,
    defaultOverlapHours,
  )
  @Min(0)
  @Max(720)
  overlap_hours?: number;
}

export class RotateSecretRequest extends RotateSecretFields {
  id: string;
}

export class RecoverFields {
  @Required()
  @TimeField(
    'Sends callbacks that were created at this time or later. Default time zone: UTC',
    '2026-11-15T08:00:00+00:00',
  )
  from: string;

  @OptionalTimeField('Sends callbacks that were created before this time. Default: now')
  to?: string;

  @OptionalEnumField(callbackStatuses, 'Sends only callbacks with this status. Default: all', 'failed')
  status?: CallbackStatus;

  @OptionalTextField('`next` of the previous response, to continue', exampleId)
  after?: string;
}

export class RecoverRequest extends RecoverFields {
  id: string;
}

export class RecoveredCallbacks {
  @IntegerField('Number of callbacks that are sent again', 120)
  recovered: number;

  @OptionalTextField('There are more: repeat the request with this value as `after`', exampleId)
  next?: string;
}

export class ChangeBalanceThreshold {
  @Required()
  @IntegerField('Balance in whole naira below which endpoints get `balance.low`; 0: never', 5000)
  @Min(0)
  @Max(1_000_000_000)
  threshold: number;
}

export class BalanceThreshold {
  @NumberField('Balance in naira below which endpoints get `balance.low`; 0: never', 5000)
  threshold: number;
}

export class RotatedSecret {
  @IdField('Id of the endpoint')
  id: string;

  @TextField('New secret. It is not shown again', exampleSecret)
  secret: string;

  @TextField('Until then the previous secret signs too', exampleTime)
  previous_secret_until: string;
}
