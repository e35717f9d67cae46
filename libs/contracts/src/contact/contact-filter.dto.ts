import { IsIn, IsOptional, IsString } from 'class-validator';
import { ApiSchema } from '../schema/describe-whole.js';
import { ApiField } from '../schema/describe.js';
import { MaxLength } from '../validation/max-length.js';
import { Required } from '../validation/required.js';
import { type ContactOperator, contactOperators } from './filter-operators.js';
import { operatorsWithoutValue } from './filter-values.js';

const longestFilterValue = 5_000;

@ApiSchema({
  rules: {
    anyOf: [{ required: ['column_id'] }, { required: ['name'] }],
    if: { properties: { operator: { enum: operatorsWithoutValue } } },
    else: { required: ['value'] },
  },
})
export class ContactFilter {
  @IsOptional()
  @IsString()
  @ApiField('The column to look at', '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42')
  column_id?: string;

  @IsOptional()
  @IsString()
  @ApiField('The name of the column, where its id is not given', 'Name')
  name?: string;

  @Required()
  @IsString()
  @IsIn(contactOperators)
  @ApiField(
    'How to compare. NUMBER columns compare as numbers, DATE columns as moments, all others as text without case; `before` and `after` are `less_than` and `greater_than`. `%`, `_` and `\\` are ordinary characters',
    'contain',
  )
  operator: ContactOperator;

  @IsOptional()
  @IsString()
  @MaxLength(longestFilterValue)
  @ApiField(
    'What to compare with; `is_empty` and `is_not_empty` need none. `between` takes two values separated by a comma (both included), `in` any number of them',
    'ada',
  )
  value?: string;
}
