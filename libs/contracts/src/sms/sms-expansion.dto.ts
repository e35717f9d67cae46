import { IsIn, IsUUID } from 'class-validator';
import { exampleTime } from '../schema/api-field.js';
import {
  IntegerField,
  NumberField,
  OptionalNumberField,
  OptionalTextField,
  TextField,
} from '../schema/fields.js';
import { Required } from '../validation/decorators.js';

export const expansionStates = ['expanding', 'done', 'failed'] as const;
export type ExpansionState = (typeof expansionStates)[number];

/** A message whose smartlist is due for expansion into deliveries. */
export class SmsExpansionDue {
  @Required()
  @IsUUID()
  id: string;
}

export class SmsExpansion {
  @TextField(
    '`expanding` at first, then `done`; `failed` if it made no progress for a long time: the deliveries made so far are sent, the rest is refunded',
    'done',
  )
  @IsIn(expansionStates)
  state: ExpansionState;

  @IntegerField('Number of rows read; each counts in exactly one of the fields below', 250)
  rows: number;

  @IntegerField('Rows with a delivery', 240)
  recipients: number;

  @IntegerField('Rows with the phone number of an earlier row', 5)
  duplicates: number;

  @IntegerField('Rows without a phone number', 3)
  without_number: number;

  @IntegerField('Rows whose text is empty or too long', 2)
  unsendable: number;

  @IntegerField('Rows that were added or changed during the expansion and exceed the amount charged', 0)
  unaffordable: number;

  @NumberField('Cost of the deliveries in naira', 960)
  charge: number;

  @OptionalNumberField(
    'Refunded part of the initial charge in naira; absent until the expansion has ended',
    4_040,
  )
  returned?: number;

  @OptionalTextField('End of the expansion', exampleTime)
  ended_datetime?: string;
}
