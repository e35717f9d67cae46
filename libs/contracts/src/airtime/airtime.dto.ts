import { IsIn, IsOptional, ValidateIf } from 'class-validator';
import { PageMeta, PeriodPageQuery, RequestMeta } from '../pagination.dto.js';
import { FailureReason } from '../reason.dto.js';
import { ApiField, ApiSchema, exampleId, exampleTime } from '../schema/api-field.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  OptionalEnumField,
  OptionalIdField,
  OptionalObjectField,
  OptionalTextField,
  RequiredTextField,
  TextField,
} from '../schema/fields.js';
import { IsCallbackUrl } from '../validation/fields/callback-url.js';
import { IsName, Required } from '../validation/fields/decorators.js';
import { type Network, networks } from './airtime-bounds.js';
import { ExcludesAmount, IsAirtimeAmount, isAmountChecked, IsNigerianPhone } from './airtime-rules.js';

export const airtimeStatuses = ['pending', 'sent', 'failed', 'error', 'success', 'duplicate'] as const;

/** The status of a purchase. The last four are final, but an operator may still resolve an `error`. */
export type AirtimeStatus = (typeof airtimeStatuses)[number];

@ApiSchema({
  rules: { oneOf: [{ required: ['amount'] }, { required: ['product_id'] }] },
  // Together they contain every field except `callback`: whoever sends an example would send its reports there.
  examples: {
    airtime: {
      network: 'MTN',
      amount: 100,
      recipient: '07000000001',
      external_ref: 'order-17',
    },
    bundle: { network: 'MTN', product_id: exampleId, recipient: '07000000001' },
  },
})
export class BuyAirtimeRequest {
  @RequiredTextField(
    'Network of the recipient. It may differ from the network of the prefix: numbers are ported',
    'MTN',
  )
  @IsIn(networks)
  network: Network;

  @ValidateIf(isAmountChecked)
  @Required()
  @IsAirtimeAmount()
  @ApiField(
    'Amount of airtime in naira with at most two decimals, within the limits that `GET /airtime/networks` returns. Required unless there is a `product_id`',
    100,
  )
  amount?: number;

  @OptionalTextField(
    'Data bundle to buy instead of an `amount` of airtime: a product of this network that `GET /airtime/products` returns. Its price is charged',
    exampleId,
  )
  @Required()
  @ExcludesAmount()
  product_id?: string;

  @RequiredTextField(
    'Recipient of the airtime: a Nigerian phone number in any common notation',
    '07000000001',
  )
  @IsNigerianPhone()
  recipient: string;

  @IsOptional()
  @IsCallbackUrl()
  @ApiField('URL that receives status reports of the purchase', 'https://app.example/callbacks')
  callback?: string;

  @OptionalTextField(
    'Your own reference. Purchases with different references are never duplicates; a second purchase with the same reference within a day is',
    'order-17',
  )
  @IsName(255)
  external_ref?: string;
}

export class AirtimeCharge {
  @NumberField('Amount in naira', 100)
  amount: number;

  @NumberField('Available balance after the purchase: `balance_before` minus `amount`', 9900)
  available_balance: number;

  @NumberField('Available balance before the purchase', 10000)
  balance_before: number;

  @BooleanField('Whether the amount was refunded', false)
  refunded: boolean;
}

export class AirtimeMeta extends RequestMeta {
  @ObjectField(AirtimeCharge, 'Cost of the purchase')
  charge: AirtimeCharge;
}

export class AirtimePurchase {
  @TextField('Id of the purchase', exampleId)
  id: string;

  @TextField('`recipient` of the request; `erased` if its data was erased', '07000000001')
  recipient: string;

  @OptionalTextField('`external_ref` of the request', 'order-17')
  external_ref?: string;

  @OptionalTextField('`callback` of the request', 'https://app.example/callbacks')
  callback?: string;

  @EnumField(
    airtimeStatuses,
    '`pending` at first; `sent` when the network has accepted the purchase and has not confirmed it; then `success`, `failed` or `duplicate` (both refunded), or `error` if the outcome is unknown and an operator has to resolve it',
    'pending',
  )
  status: AirtimeStatus;

  @TextField('Time of the purchase', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last status change', exampleTime)
  updated_datetime?: string;

  @EnumField(networks, '`network` of the request', 'MTN')
  network: Network;

  @OptionalIdField('`product_id` of the request')
  product_id?: string;

  @OptionalObjectField(FailureReason, 'Why the purchase did not succeed')
  reason?: FailureReason;

  @ObjectField(AirtimeMeta, 'Request and cost')
  meta: AirtimeMeta;
}

export class AirtimeNetwork {
  @EnumField(networks, 'Name of the network, as in purchases', 'MTN')
  name: Network;

  @IntegerField('Minimum amount of one purchase in naira', 1)
  minimum_amount: number;

  @IntegerField('Maximum amount of one purchase in naira', 100000)
  maximum_amount: number;
}

export class ListAirtimeRequest extends PeriodPageQuery {
  @OptionalEnumField(airtimeStatuses, 'Return only purchases with this status', 'failed')
  status?: AirtimeStatus;

  @OptionalTextField(
    'Return only purchases for this recipient: a Nigerian phone number in any common notation',
    '07000000001',
  )
  @IsNigerianPhone()
  recipient?: string;

  @OptionalTextField('Return only purchases with this `external_ref`', 'order-17')
  @IsName(255)
  external_ref?: string;

  @OptionalEnumField(networks, 'Return only purchases of this network', 'MTN')
  network?: Network;
}

export class AirtimePage {
  @ListField(AirtimePurchase, 'Purchases, newest first')
  purchases: AirtimePurchase[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}
