import { IsIn, IsInt, IsNumber, IsOptional, IsString, IsUUID } from 'class-validator';
import { Describe } from '../schema/describe.js';
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
  @Describe(
    '`expanding` at first, then `done`; `failed` when it came no further for a long time: what was made of it is sent, the rest was given back',
    'done',
  )
  state: ExpansionState;

  @IsInt()
  @Describe('How many rows were read; each is counted below once', 250)
  rows: number;

  @IsInt()
  @Describe('Rows that became deliveries', 240)
  recipients: number;

  @IsInt()
  @Describe('Rows with the number of an earlier one', 5)
  duplicates: number;

  @IsInt()
  @Describe('Rows without a phone number', 3)
  without_number: number;

  @IsInt()
  @Describe('Rows whose text would be empty, or too long', 2)
  unsendable: number;

  @IsInt()
  @Describe(
    'Rows that came to match, or whose texts grew, while the list was read, and for which the charge does not suffice',
    0,
  )
  unaffordable: number;

  @IsNumber()
  @Describe('What the deliveries cost, in naira', 960)
  charge: number;

  @IsOptional()
  @IsNumber()
  @Describe(
    'What has gone back to the balance of what was charged at first, in naira; absent until the list has been read',
    4_040,
  )
  returned?: number;

  @IsOptional()
  @IsString()
  @Describe('When the list had been read', '2026-11-15T09:30:00.123000+00:00')
  ended_datetime?: string;
}
