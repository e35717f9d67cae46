import { IsIn, IsNumber, IsOptional, IsString, IsUUID } from 'class-validator';
import { PageMeta, PeriodPageQuery } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { IsTimestamp } from '../validation/is-moment.js';
import { Nested, NestedList } from '../validation/nested.js';

/** Why a wallet changed. */
export const walletChangeKinds = ['top_up', 'charge', 'refund', 'reserve', 'void', 'adjustment'] as const;

const kinds =
  '`top_up`: money came in. `charge`: a message, an OTP or a look-up was paid. `refund`: one was not delivered. `reserve`: set aside for an airtime purchase. `void`: given back because that failed. `adjustment`: corrected by hand';
const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

export class Balance {
  @IsNumber()
  @ApiField('What can be spent, in naira', 1234.5)
  available_balance: number;

  @IsNumber()
  @ApiField('What is set aside for airtime purchases under way, in naira', 100)
  reserved: number;

  @IsString()
  @ApiField('ISO 4217', 'NGN')
  currency: string;
}

export class LedgerQuery extends PeriodPageQuery {
  @IsOptional()
  @IsIn(walletChangeKinds)
  @ApiField('Only entries of this kind', 'top_up')
  kind?: (typeof walletChangeKinds)[number];
}

export class LedgerEntry {
  @IsUUID()
  @ApiField('The id of the entry; a newer one is greater', id)
  id: string;

  @IsIn(walletChangeKinds)
  @ApiField(kinds, 'charge')
  kind: (typeof walletChangeKinds)[number];

  @IsUUID()
  @ApiField('What the money moved for: the message, OTP, delivery, purchase or payment', id)
  subject_id: string;

  @IsNumber()
  @ApiField('By how much the balance changed, in naira; negative when money left', -4)
  amount: number;

  @IsNumber()
  @ApiField('What could be spent after it, in naira', 1230.5)
  balance_after: number;

  @IsOptional()
  @IsString()
  @ApiField('What was written beside it', 'Bank transfer 4711')
  note?: string;

  @IsTimestamp()
  @ApiField('When it happened', '2026-11-15T09:30:00.123000+00:00')
  created_datetime: string;
}

export class Ledger {
  @NestedList(LedgerEntry)
  @ApiField('The changes of the balance, newest first')
  entries: LedgerEntry[];

  @Nested(PageMeta)
  @ApiField('About this answer')
  meta: PageMeta;
}
