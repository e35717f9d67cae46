import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID } from 'class-validator';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { Required } from '../validation/decorators.js';
import { Nested, NestedList } from '../validation/nested.js';
import { SmsMessage, type SmsStatus, smsStatuses } from './sms.dto.js';
import { SmsExpansion } from './sms-expansion.dto.js';

export class FindSmsRequest {
  @Required()
  @IsString()
  id: string;

  @IsOptional()
  @IsUUID()
  after?: string;
}

export class SmsDeliveriesQuery {
  @IsOptional()
  @IsUUID()
  @ApiField(
    'Return only deliveries after the one with this id: `meta.pagination.next` of the previous page. Only for messages to a smartlist',
    exampleId,
  )
  after?: string;
}

export class SmsReason {
  @IsString()
  @ApiField('Code for programs', 'dnd')
  code: string;

  @IsString()
  @ApiField('Message for people', 'The recipient is on the do-not-disturb list (DND)')
  message: string;
}

export class SmsAttempt {
  @IsInt()
  @ApiField('Number of the attempt, from 1', 1)
  attempt: number;

  @IsString()
  @ApiField('Name of the provider', 'simulator')
  provider: string;

  @IsOptional()
  @IsString()
  @ApiField('Outcome; absent while it is unknown', 'accepted')
  outcome?: string;

  @IsOptional()
  @Nested(SmsReason)
  @ApiField('Why the provider did not accept the message')
  error?: SmsReason;

  @IsString()
  @ApiField('Start of the call to the provider', exampleTime)
  started_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('End of the call', exampleTime)
  ended_datetime?: string;
}

export class SmsDelivery {
  @IsString()
  @ApiField('Id of the delivery', exampleId)
  id: string;

  @IsString()
  @ApiField('Recipient as in the request', '08031234567')
  recipient: string;

  @IsString()
  @IsIn(smsStatuses)
  @ApiField(
    '`queued` at first; `sent` when a carrier has accepted the message; then `delivered`, `undelivered` or `expired`. `rejected` if it cannot be delivered and no carrier was called, `failed` if no carrier accepted it',
    'delivered',
  )
  status: SmsStatus;

  @IsOptional()
  @Nested(SmsReason)
  @ApiField('Why the message was not delivered')
  error?: SmsReason;

  @IsInt()
  @ApiField('Pages of the text for this recipient', 1)
  pages: number;

  @IsNumber()
  @ApiField('Cost of this recipient in naira', 4)
  charge: number;

  @IsBoolean()
  @ApiField('Whether the cost was refunded', false)
  refunded: boolean;

  @IsString()
  @ApiField('Time of acceptance', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('Time of the last status change', exampleTime)
  updated_datetime?: string;

  @NestedList(SmsAttempt)
  @ApiField('Calls to providers, oldest first')
  attempts: SmsAttempt[];
}

export class SmsDetails extends SmsMessage {
  @IsString()
  @IsIn(channels)
  @ApiField('Channel of the message', 'sms')
  channel: Channel;

  @NestedList(SmsDelivery)
  @ApiField('Deliveries, one for each recipient')
  deliveries: SmsDelivery[];

  @IsOptional()
  @Nested(SmsExpansion)
  @ApiField('Progress of the expansion of the smartlist into deliveries')
  expansion?: SmsExpansion;
}
