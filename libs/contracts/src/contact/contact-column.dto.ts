import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { DescribeWhole } from '../schema/describe-whole.js';
import { Describe } from '../schema/describe.js';
import { Required } from '../validation/required.js';
import { type ContactColumnType, contactColumnTypes, hasOptions } from './column-types.js';

export const longestColumnName = 100;
export const mostOptions = 200;
export const longestOption = 100;

const optionsText =
  'What a cell may choose from: needed for SELECT and MULTI SELECT, and only there. No option is empty, holds a comma or stands there twice';

@DescribeWhole({
  rules: {
    if: { properties: { type: { enum: contactColumnTypes.filter(hasOptions) } } },
    then: {
      required: ['options'],
      properties: {
        options: {
          minItems: 1,
          uniqueItems: true,
          items: { minLength: 1, maxLength: longestOption, pattern: '^[^,]*$' },
        },
      },
    },
    else: { not: { required: ['options'] } },
  },
  examples: {
    date: { name: 'Birthday', type: 'DATE' },
    choice: { name: 'Level', type: 'SELECT', options: ['gold', 'silver'] },
  },
})
export class AddContactColumnRequest {
  @Required()
  @IsString()
  @MaxLength(longestColumnName)
  @Describe('What people call it; no two columns have the same name, whatever its case', 'Birthday')
  name: string;

  @Required()
  @IsString()
  @IsIn(contactColumnTypes)
  @Describe('What its cells may hold', 'DATE')
  type: ContactColumnType;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostOptions)
  @IsString({ each: true })
  @Describe(optionsText)
  options?: string[];
}

export class ChangeContactColumnFields {
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(longestColumnName)
  @Describe('Its new name', 'Date of birth')
  name?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostOptions)
  @IsString({ each: true })
  @Describe(`${optionsText}. Cells that hold an option which is no longer there keep it`)
  options?: string[];
}

export class ContactColumnId {
  @Required()
  @IsString()
  id: string;
}

export class ChangeContactColumnRequest extends ChangeContactColumnFields {
  @Required()
  @IsString()
  id: string;
}
