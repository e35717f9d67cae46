import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageMeta, PeriodPageQuery } from '../pagination.dto.js';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { NumberField, OptionalTextField, TextField } from '../schema/fields.js';
import { IsTimestamp } from '../validation/decorators.js';
import { Nested, NestedList } from '../validation/nested.js';

/** Why a wallet changed. */
export const walletChangeKinds = ['top_up', 'charge', 'refund', 'reserve', 'void', 'adjustment'] as const;

export class Balance {
  @NumberField('Available balance in naira', 1234.5)
  available_balance: number;

  @NumberField('Amount reserved for airtime purchases and lookups in progress, in naira', 100)
  reserved: number;

  @TextField('Currency, ISO 4217', 'NGN')
  currency: string;
}

export class LedgerQuery extends PeriodPageQuery {
  @IsOptional()
  @IsIn(walletChangeKinds)
  @ApiField('Return only entries of this kind', 'top_up')
  kind?: (typeof walletChangeKinds)[number];
}

export class LedgerEntry {
  @IsUUID()
  @ApiField('Id of the entry; newer entries have greater ids', exampleId)
  id: string;

  @IsIn(walletChangeKinds)
  @ApiField(
    '`top_up`: payment received. `charge`: a message, an OTP or a lookup was paid. `refund`: a charge was returned because the delivery failed. `reserve`: amount reserved for an airtime purchase or a lookup. `void`: reservation returned because the purchase or lookup failed. `adjustment`: manual correction',
    'charge',
  )
  kind: (typeof walletChangeKinds)[number];

  @IsUUID()
  @ApiField('Id of the message, OTP, delivery, purchase or payment', exampleId)
  subject_id: string;

  @NumberField('Change of the balance in naira; negative for a charge', -4)
  amount: number;

  @NumberField('Available balance after the change, in naira', 1230.5)
  balance_after: number;

  @OptionalTextField('Note of the operator', 'Bank transfer 4711')
  note?: string;

  @IsTimestamp()
  @ApiField('Time of the change', exampleTime)
  created_datetime: string;
}

export class Ledger {
  @NestedList(LedgerEntry)
  @ApiField('Changes of the balance, newest first')
  entries: LedgerEntry[];

  @Nested(PageMeta)
  @ApiField('Request and pagination')
  meta: PageMeta;
}
