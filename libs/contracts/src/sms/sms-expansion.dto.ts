import { IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { Required } from '../validation/required.js';

export const expansionStates = ['expanding', 'done', 'failed'] as const;
export type ExpansionState = (typeof expansionStates)[number];

/** A smartlist that waits to be made into deliveries. */
export class SmsExpansionDue {
  @Required()
  @IsUUID()
  id: string;
}

export class SmsExpansion {
  @IsString()
  @IsIn(expansionStates)
  @ApiField(
    '`expanding` at first, then `done`; `failed` when it came no further for a long time: what was made of it is sent, the rest was given back',
    'done',
  )
  state: ExpansionState;

  @IsInt()
  @ApiField('How many rows were read; each is counted below once', 250)
  rows: number;

  @IsInt()
  @ApiField('Rows that became deliveries', 240)
  recipients: number;

  @IsInt()
  @ApiField('Rows with the number of an earlier one', 5)
  duplicates: number;

  @IsInt()
  @ApiField('Rows without a phone number', 3)
  without_number: number;

  @IsInt()
  @ApiField('Rows whose text would be empty, or too long', 2)
  unsendable: number;

  @IsInt()
  @ApiField(
    'Rows that came to match, or whose texts grew, while the list was read, and for which the charge does not suffice',
    0,
  )
  unaffordable: number;

  @IsNumber()
  @ApiField('What the deliveries cost, in naira', 960)
  charge: number;

  @IsOptional()
  @IsNumber()
  @ApiField(
    'What has gone back to the balance of what was charged at first, in naira; absent until the list has been read',
    4_040,
  )
  returned?: number;

  @IsOptional()
  @IsString()
  @ApiField('When the list had been read', '2026-11-15T09:30:00.123000+00:00')
  ended_datetime?: string;
}
