import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { ApiSchema } from '../schema/describe-whole.js';
import { ApiField } from '../schema/describe.js';
import { MaxLength } from '../validation/max-length.js';
import { NotBlank } from '../validation/not-blank.js';
import { OneLine } from '../validation/one-line.js';
import { Required } from '../validation/required.js';
import { type ContactColumnType, contactColumnTypes, hasOptions } from './column-types.js';

const longestColumnName = 100;
const mostOptions = 200;
const longestOption = 100;
/** A cell of several lists them with commas between; blanks around one are taken away. */
const optionPattern = /^\s*[^\s,][^,]*$/;

const optionsText =
  'What a cell may choose from: needed for SELECT and MULTI SELECT, and only there. No option is blank, holds a comma or stands there twice';

/** Told without blanks around them, as they are compared; what is given with them is trimmed. */
const someOptions = {
  options: { minItems: 1, uniqueItems: true, items: { pattern: String.raw`^\S(?:[\s\S]*\S)?$` } },
};

@ApiSchema({
  rules: {
    if: { properties: { type: { enum: contactColumnTypes.filter(hasOptions) } } },
    then: { required: ['options'], properties: someOptions },
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
  @OneLine()
  @MaxLength(longestColumnName)
  @ApiField('What people call it; no two columns have the same name, whatever its case', 'Birthday')
  name: string;

  @Required()
  @IsString()
  @IsIn(contactColumnTypes)
  @ApiField('What its cells may hold', 'DATE')
  type: ContactColumnType;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostOptions)
  @IsString({ each: true })
  @MaxLength(longestOption, { each: true })
  @Matches(optionPattern, {
    each: true,
    message: 'each value in $property must not be blank nor hold a comma',
  })
  @ApiField(optionsText)
  options?: string[];
}

@ApiSchema({ rules: { if: { required: ['options'] }, then: { properties: someOptions } } })
export class ChangeContactColumnFields {
  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(longestColumnName)
  @ApiField('Its new name', 'Date of birth')
  name?: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostOptions)
  @IsString({ each: true })
  @MaxLength(longestOption, { each: true })
  @Matches(optionPattern, {
    each: true,
    message: 'each value in $property must not be blank nor hold a comma',
  })
  @ApiField(`${optionsText}. Cells that hold an option which is no longer there keep it`)
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
