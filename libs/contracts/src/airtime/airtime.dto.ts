import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID } from 'class-validator';
import { IsCallbackUrl } from '../callback/callback-url.js';
import { PageMeta, PeriodPageQuery, RequestMeta } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { MaxLength, NotBlank, OneLine, Required } from '../validation/decorators.js';
import { Nested, NestedList } from '../validation/nested.js';
import { type Network, networks } from './airtime-bounds.js';
import { IsAirtimeAmount, IsNigerianPhone } from './airtime-rules.js';

export const airtimeStatuses = ['pending', 'sent', 'failed', 'error', 'success', 'duplicate'] as const;

/** The last four are final; an operator may still resolve an `error`. */
export type AirtimeStatus = (typeof airtimeStatuses)[number];

/** A purchase that is due: its row is ready to be claimed. */
export class AirtimeDue {
  @Required()
  @IsUUID()
  id: string;
}

export class BuyAirtimeRequest {
  @Required()
  @IsString()
  @IsIn(networks)
  @ApiField(
    'Network of the recipient. It may differ from the network of the prefix: numbers are ported',
    'MTN',
  )
  network: Network;

  @Required()
  @IsAirtimeAmount()
  @ApiField(
    'Amount in naira with at most two decimals, within the limits that `GET /airtime/networks` returns',
    100,
  )
  amount: number;

  @Required()
  @IsString()
  @IsNigerianPhone()
  @ApiField('Recipient of the airtime: a Nigerian phone number in any common notation', '08031234567')
  recipient: string;

  @IsOptional()
  @IsCallbackUrl()
  @ApiField('URL that receives status reports of the purchase', 'https://example.com/callbacks')
  callback?: string;

  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(255)
  @ApiField(
    'Your own reference. Purchases with different references are never duplicates; a second purchase with the same reference within a day is',
    'order-17',
  )
  external_ref?: string;
}

export class AirtimeCharge {
  @IsNumber()
  @ApiField('Amount in naira', 100)
  amount: number;

  @IsNumber()
  @ApiField('Available balance after the purchase: `balance_before` minus `amount`', 9900)
  available_balance: number;

  @IsNumber()
  @ApiField('Available balance before the purchase', 10000)
  balance_before: number;

  @IsBoolean()
  @ApiField('Whether the amount was refunded', false)
  refunded: boolean;
}

export class AirtimeMeta extends RequestMeta {
  @Nested(AirtimeCharge)
  @ApiField('Cost of the purchase')
  charge: AirtimeCharge;
}

export class AirtimeReason {
  @IsString()
  @ApiField('Code for programs', 'invalid_number')
  code: string;

  @IsString()
  @ApiField('Message for people', 'The network does not know this number')
  message: string;
}

export class AirtimePurchase {
  @IsString()
  @ApiField('Id of the purchase', exampleId)
  id: string;

  @IsString()
  @ApiField('`recipient` of the request', '08031234567')
  recipient: string;

  @IsOptional()
  @IsString()
  @ApiField('`external_ref` of the request', 'order-17')
  external_ref?: string;

  @IsOptional()
  @IsString()
  @ApiField('`callback` of the request', 'https://example.com/callbacks')
  callback?: string;

  @IsString()
  @IsIn(airtimeStatuses)
  @ApiField(
    '`pending` at first; `sent` when the network has accepted the purchase and has not confirmed it; then `success`, `failed` or `duplicate` (both refunded), or `error` if the outcome is unknown and an operator has to resolve it',
    'pending',
  )
  status: AirtimeStatus;

  @IsString()
  @ApiField('Time of the purchase', exampleTime)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('Time of the last status change', exampleTime)
  updated_datetime?: string;

  @IsString()
  @IsIn(networks)
  @ApiField('`network` of the request', 'MTN')
  network: Network;

  @IsOptional()
  @Nested(AirtimeReason)
  @ApiField('Why the purchase did not succeed')
  reason?: AirtimeReason;

  @Nested(AirtimeMeta)
  @ApiField('Request and cost')
  meta: AirtimeMeta;
}

export class AirtimeNetwork {
  @IsString()
  @IsIn(networks)
  @ApiField('Name of the network, as in purchases', 'MTN')
  name: Network;

  @IsInt()
  @ApiField('Minimum amount of one purchase in naira', 1)
  minimum_amount: number;

  @IsInt()
  @ApiField('Maximum amount of one purchase in naira', 100000)
  maximum_amount: number;
}

export class FindAirtimeRequest {
  @Required()
  @IsString()
  id: string;
}

export class ListAirtimeRequest extends PeriodPageQuery {
  @IsOptional()
  @IsIn(airtimeStatuses)
  @ApiField('Return only purchases with this status', 'failed')
  status?: AirtimeStatus;
}

export class AirtimePage {
  @NestedList(AirtimePurchase)
  @ApiField('Purchases, newest first')
  purchases: AirtimePurchase[];

  @Nested(PageMeta)
  @ApiField('Request and pagination')
  meta: PageMeta;
}
