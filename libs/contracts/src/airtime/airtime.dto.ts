import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString } from 'class-validator';
import { RequestMeta } from '../pagination.dto.js';
import { IsCallbackUrl } from '../callback/is-callback-url.js';
import { ApiField } from '../schema/describe.js';
import { MaxLength } from '../validation/max-length.js';
import { Nested } from '../validation/nested.js';
import { NotBlank } from '../validation/not-blank.js';
import { OneLine } from '../validation/one-line.js';
import { Required } from '../validation/required.js';
import { type AirtimeStatus, airtimeStatuses } from './airtime-status.js';
import { IsAirtimeAmount } from './is-airtime-amount.js';
import { type Network, networks } from './networks.js';
import { IsNigerianPhone } from './nigerian-phone.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class BuyAirtimeRequest {
  @Required()
  @IsString()
  @IsIn(networks)
  @ApiField('The carrier. It need not be the one that the number’s prefix tells: numbers are ported', 'MTN')
  network: Network;

  @Required()
  @IsAirtimeAmount()
  @ApiField('Naira, whole or with two decimals, within the bounds that GET /airtime/networks tells', 100)
  amount: number;

  @Required()
  @IsString()
  @IsNigerianPhone()
  @ApiField('Who receives the airtime: a Nigerian number, as people write it', '08031234567')
  recipient: string;

  @IsOptional()
  @IsCallbackUrl()
  @ApiField('Where reports of what becomes of the purchase are sent', 'https://example.com/callbacks')
  callback?: string;

  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(255)
  @ApiField(
    'Your own reference. Two purchases with different ones are never taken for one; the same one twice within a day is',
    'order-17',
  )
  external_ref?: string;
}

export class AirtimeCharge {
  @IsNumber()
  @ApiField('In naira', 100)
  amount: number;

  @IsNumber()
  @ApiField('What could be spent after the purchase: `balance_before` less `amount`', 9900)
  available_balance: number;

  @IsNumber()
  @ApiField('What could be spent before it', 10000)
  balance_before: number;

  @IsBoolean()
  @ApiField('Whether the amount has gone back to the balance', false)
  refunded: boolean;
}

export class AirtimeMeta extends RequestMeta {
  @Nested(AirtimeCharge)
  @ApiField('What it costs')
  charge: AirtimeCharge;
}

export class AirtimeReason {
  @IsString()
  @ApiField('For programs', 'invalid_number')
  code: string;

  @IsString()
  @ApiField('For people', 'The network does not know this number')
  message: string;
}

export class AirtimePurchase {
  @IsString()
  @ApiField('Of the purchase', id)
  id: string;

  @IsString()
  @ApiField('As it was given', '08031234567')
  recipient: string;

  @IsOptional()
  @IsString()
  @ApiField('As it was given', 'order-17')
  external_ref?: string;

  @IsOptional()
  @IsString()
  @ApiField('As it was given', 'https://example.com/callbacks')
  callback?: string;

  @IsString()
  @IsIn(airtimeStatuses)
  @ApiField(
    '`pending` at first; `sent` once the network has it and its answer is awaited; then `success`, or `failed` or `duplicate`, which are refunded, or `error` when the outcome could not be learnt and a person looks into it',
    'pending',
  )
  status: AirtimeStatus;

  @IsString()
  @ApiField('When it was bought', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When its status last changed', time)
  updated_datetime?: string;

  @IsString()
  @IsIn(networks)
  @ApiField('As it was given', 'MTN')
  network: Network;

  @IsOptional()
  @Nested(AirtimeReason)
  @ApiField('Why it is not a success')
  reason?: AirtimeReason;

  @Nested(AirtimeMeta)
  @ApiField('What was asked and what it cost')
  meta: AirtimeMeta;
}

export class AirtimeNetwork {
  @IsString()
  @IsIn(networks)
  @ApiField('As purchases name it', 'MTN')
  name: Network;

  @IsInt()
  @ApiField('The least naira of one purchase', 1)
  minimum_amount: number;

  @IsInt()
  @ApiField('The most naira of one purchase', 100000)
  maximum_amount: number;
}
