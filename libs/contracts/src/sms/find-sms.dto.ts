import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID } from 'class-validator';
import { type Channel, channels } from '../channel.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Required } from '../validation/required.js';
import { SmsMessage } from './sms.dto.js';
import { SmsExpansion } from './sms-expansion.dto.js';
import { type SmsStatus, smsStatuses } from './sms-status.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class FindSmsRequest {
  @Required()
  @IsString()
  id: string;

  @IsOptional()
  @IsUUID()
  after?: string;
}

/** What may be asked beside the id. */
export class SmsDeliveriesQuery {
  @IsOptional()
  @IsUUID()
  @ApiField(
    'Only deliveries beyond the one with this id: `meta.pagination.next` of the page before, of a message to a smartlist',
    id,
  )
  after?: string;
}

export class SmsReason {
  @IsString()
  @ApiField('For programs', 'dnd')
  code: string;

  @IsString()
  @ApiField('For people', 'The recipient does not want such messages (DND)')
  message: string;
}

export class SmsAttempt {
  @IsInt()
  @ApiField('Counted from 1', 1)
  attempt: number;

  @IsString()
  @ApiField('Who was asked to send it', 'simulator')
  provider: string;

  @IsOptional()
  @IsString()
  @ApiField('What came of it; absent while that is not known', 'accepted')
  outcome?: string;

  @IsOptional()
  @Nested(SmsReason)
  @ApiField('Why it was not taken')
  error?: SmsReason;

  @IsString()
  @ApiField('When the provider was called', time)
  started_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When its answer was known', time)
  ended_datetime?: string;
}

export class SmsDelivery {
  @IsString()
  @ApiField('Of the message to this one recipient', id)
  id: string;

  @IsString()
  @ApiField('As it was given', '08031234567')
  recipient: string;

  @IsString()
  @IsIn(smsStatuses)
  @ApiField(
    '`queued` at first, then `sent` once a carrier has it, and `delivered`, `undelivered` or `expired`; or `rejected` when it can reach nobody and was given to no carrier, or `failed` when none took it',
    'delivered',
  )
  status: SmsStatus;

  @IsOptional()
  @Nested(SmsReason)
  @ApiField('Why it did not arrive')
  error?: SmsReason;

  @IsInt()
  @ApiField('Of this recipient’s text', 1)
  pages: number;

  @IsNumber()
  @ApiField('What this recipient costs, in naira', 4)
  charge: number;

  @IsBoolean()
  @ApiField('Whether that has gone back to the balance', false)
  refunded: boolean;

  @IsString()
  @ApiField('When it was accepted', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When its status last changed', time)
  updated_datetime?: string;

  @NestedList(SmsAttempt)
  @ApiField('The calls to providers, in their order')
  attempts: SmsAttempt[];
}

export class SmsDetails extends SmsMessage {
  @IsString()
  @IsIn(channels)
  @ApiField('How it is sent', 'sms')
  channel: Channel;

  @NestedList(SmsDelivery)
  @ApiField('What became of it, recipient by recipient')
  deliveries: SmsDelivery[];

  @IsOptional()
  @Nested(SmsExpansion)
  @ApiField('How far its smartlist has been made into deliveries')
  expansion?: SmsExpansion;
}
