import { type Network, networks } from '../airtime/airtime-bounds.js';
import { type Channel, channels } from '../delivery/delivery.dto.js';
import { type OptOutSource, optOutSources } from '../opt-out/opt-out.dto.js';
import { FailureReason } from '../reason.dto.js';
import {
  BooleanField,
  EnumField,
  IdField,
  IntegerField,
  NumberField,
  OptionalIdField,
  OptionalObjectField,
  OptionalTextField,
  TextField,
  TimeField,
} from '../schema/fields.js';

const otpCallbackStatuses = ['sent', 'verified', 'failed'] as const;
const importEnds = ['done', 'failed'] as const;
const purchaseStatuses = ['sent', 'success', 'failed', 'error', 'duplicate'] as const;

/** The status of an airtime purchase. */
export class PurchaseCallbackData {
  @IdField('Id of the purchase')
  id: string;

  @EnumField(networks, 'Network of the request', 'MTN')
  network: Network;

  @NumberField('Amount in naira', 500)
  amount: number;

  @OptionalIdField('`product_id` of the request; absent for airtime')
  product_id?: string;

  @TextField('Phone number as it was sent', '07000000001')
  recipient: string;

  @EnumField(purchaseStatuses, 'Status of the purchase', 'success')
  status: (typeof purchaseStatuses)[number];

  @BooleanField('Whether the money was refunded', false)
  refunded: boolean;

  @OptionalObjectField(FailureReason, 'Why it did not succeed, or why the outcome is unknown')
  reason?: FailureReason;

  @OptionalTextField('`external_ref` of the request', 'topup-77')
  external_ref?: string;

  @TimeField('Time when the purchase was accepted')
  created_datetime: string;

  @TimeField('Time when the status last changed')
  updated_datetime: string;
}

/** The status of an OTP. Never contains the token. */
export class OtpCallbackData {
  @IdField('Id of the OTP')
  id: string;

  @TextField('Phone number as it was sent', '07000000001')
  recipient: string;

  @EnumField(channels, 'Channel of the message; otherwise of the last message of the OTP', 'sms')
  channel: Channel;

  @EnumField(otpCallbackStatuses, 'What happened to the OTP', 'verified')
  status: (typeof otpCallbackStatuses)[number];

  @OptionalObjectField(FailureReason, 'Only with `otp.failed`: why')
  reason?: FailureReason;

  @TimeField('Time when the OTP was requested')
  created_datetime: string;

  @TimeField('Time when the status changed')
  updated_datetime: string;
}

/** The balance of the organisation has fallen below its threshold. The database writes it: `report_low_balance`. */
export class BalanceCallbackData {
  @NumberField('Available balance in naira', 4999.5)
  available_balance: number;

  @NumberField('Threshold in naira', 5000)
  threshold: number;

  @TextField('Currency, ISO 4217', 'NGN')
  currency: string;
}

/** An import of contacts that has ended. */
export class ImportCallbackData {
  @IdField('Id of the import')
  id: string;

  @EnumField(importEnds, '`done`: every line was imported or rejected; `failed`: see `reason`', 'done')
  state: (typeof importEnds)[number];

  @IntegerField('Number of processed lines without the header', 500_000)
  lines: number;

  @IntegerField('Number of lines that added a row', 499_000)
  created: number;

  @IntegerField('Number of lines that updated a row', 990)
  updated: number;

  @IntegerField('Number of invalid lines; they have no effect', 10)
  rejected: number;

  @OptionalTextField(
    'Why the import failed. Rows that were imported before are kept',
    'The quote that opens on line 17 is not closed',
  )
  reason?: string;

  @TimeField('Time of the request')
  created_datetime: string;

  @TimeField('Time of completion or failure')
  ended_datetime: string;
}

/** A number that gets no promotional messages of the organisation any more. */
export class OptOutCallbackData {
  @IdField('Id of the opt-out')
  id: string;

  @TextField('Phone number with country code', '+2347000000001')
  phone: string;

  @EnumField(channels, 'Channel of the opt-out', 'sms')
  channel: Channel;

  @EnumField(optOutSources, '`message`: the recipient sent a keyword; `api`: you requested it', 'message')
  source: OptOutSource;

  @TimeField('Time of the opt-out')
  created_datetime: string;
}

/** The organisation requested this callback as a test. */
export class EndpointTestData {
  @IdField('Id of the endpoint')
  endpoint_id: string;

  @TextField('A text for people', 'This is a test of the endpoint')
  message: string;
}
