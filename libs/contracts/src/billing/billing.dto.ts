import { PageMeta, PeriodPageQuery } from '../pagination.dto.js';
import { exampleId } from '../schema/api-field.js';
import {
  EnumField,
  IdField,
  ListField,
  NumberField,
  ObjectField,
  OptionalEnumField,
  OptionalTextField,
  TextField,
  TimeField,
} from '../schema/fields.js';

export const walletChangeKinds = ['top_up', 'charge', 'refund', 'reserve', 'void', 'adjustment'] as const;

export const spendServices = ['sms', 'otp', 'airtime', 'lookup'] as const;

export class Balance {
  @NumberField('Available balance in naira', 1234.5)
  available_balance: number;

  @NumberField('Amount reserved for airtime purchases and lookups in progress, in naira', 100)
  reserved: number;

  @TextField('Currency, ISO 4217', 'NGN')
  currency: string;
}

export class LedgerQuery extends PeriodPageQuery {
  @OptionalEnumField(walletChangeKinds, 'Return only entries of this kind', 'top_up')
  kind?: (typeof walletChangeKinds)[number];
}

export class LedgerEntry {
  @IdField('Id of the entry; newer entries have greater ids')
  id: string;

  @EnumField(
    walletChangeKinds,
    '`top_up`: payment received. `charge`: a message, an OTP or a lookup was paid, or the smartlist of a scheduled message had grown. `refund`: a charge, or a part of it, was returned because a delivery failed, was canceled or cost less. `reserve`: amount reserved for an airtime purchase or a lookup. `void`: reservation returned because the purchase or lookup failed. `adjustment`: manual correction',
    'charge',
  )
  kind: (typeof walletChangeKinds)[number];

  @OptionalEnumField(
    spendServices,
    'What the money was spent on or refunded for; `sms` includes WhatsApp. Absent for payments and corrections, and in entries of version 0.1',
    'sms',
  )
  service?: (typeof spendServices)[number];

  @OptionalTextField(
    'Path of the message, OTP or purchase. Absent for lookups, and if the message or OTP is no longer stored',
    `/sms/${exampleId}`,
  )
  resource?: string;

  @IdField('Id of the message, OTP, lookup, delivery, purchase or payment')
  subject_id: string;

  @NumberField('Change of the balance in naira; negative for a charge', -4)
  amount: number;

  @NumberField('Available balance after the change, in naira', 1230.5)
  balance_after: number;

  @OptionalTextField('Reference of a payment or correction, such as the number of an invoice', 'INV-1042')
  reference?: string;

  @OptionalTextField('Note of the operator', 'Bank transfer 4711')
  note?: string;

  @TimeField('Time of the change')
  created_datetime: string;
}

export class Ledger {
  @ListField(LedgerEntry, 'Changes of the balance, newest first')
  entries: LedgerEntry[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}
