import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { ApiField, ApiSchema, exampleId, exampleTime } from '../schema/api-field.js';
import {
  EnumField,
  ListField,
  ObjectField,
  OptionalTextField,
  RequiredTextField,
  TextField,
  TextListField,
} from '../schema/fields.js';
import { combine, IsName, MaxLength, OneLine } from '../validation/fields/decorators.js';
import { absent } from '../validation/json-schema.js';

export const contactColumnTypes = [
  'TEXT',
  'NUMBER',
  'DATE',
  'PHONE NUMBER',
  'EMAIL',
  'URL',
  'SELECT',
  'MULTI SELECT',
] as const;

export type ContactColumnType = (typeof contactColumnTypes)[number];

/** Whether the cells of a column of this type are chosen from options. */
export const hasOptions = (type: ContactColumnType): boolean => type === 'SELECT' || type === 'MULTI SELECT';

const maxColumnNameLength = 100;
const maxOptions = 200;
const maxOptionLength = 100;

const optionsText =
  'Options of the cells: required for SELECT and MULTI SELECT, not allowed otherwise. Options are unique, not blank and contain no comma';

/** Options are trimmed before they are compared. */
const optionsSchema = {
  options: { minItems: 1, uniqueItems: true, items: { pattern: String.raw`^\S(?:[\s\S]*\S)?$` } },
};

/** Commas separate the options in a MULTI SELECT cell. */
const IsOptionList = (): PropertyDecorator =>
  combine(
    IsOptional(),
    IsArray(),
    ArrayMaxSize(maxOptions),
    IsString({ each: true }),
    MaxLength(maxOptionLength, { each: true }),
    Matches(/^\s*[^\s,][^,]*$/, {
      each: true,
      message: 'each value in $property must not be blank or contain a comma',
    }),
  );

@ApiSchema({
  rules: {
    oneOf: [
      {
        required: ['type', 'options'],
        properties: { type: { enum: contactColumnTypes.filter(hasOptions) }, ...optionsSchema },
      },
      {
        required: ['type'],
        properties: {
          type: { enum: contactColumnTypes.filter((type) => !hasOptions(type)) },
          options: absent,
        },
      },
    ],
  },
  examples: {
    date: { name: 'Birthday', type: 'DATE' },
    choice: { name: 'Level', type: 'SELECT', options: ['gold', 'silver'] },
  },
})
export class AddContactColumnRequest {
  @RequiredTextField('Name of the column, unique without regard to case', 'Birthday')
  @OneLine()
  @MaxLength(maxColumnNameLength)
  name: string;

  @RequiredTextField('Type of the cells', 'DATE')
  @IsIn(contactColumnTypes)
  type: ContactColumnType;

  @IsOptionList()
  @ApiField(optionsText)
  options?: string[];
}

@ApiSchema({ rules: { allOf: [{ properties: optionsSchema }] } })
export class ChangeContactColumnFields {
  @OptionalTextField('New name', 'Date of birth')
  @IsName(maxColumnNameLength)
  name?: string;

  @IsOptionList()
  @ApiField(`${optionsText}. Cells keep a value whose option is removed`)
  options?: string[];
}

export class ChangeContactColumnRequest extends ChangeContactColumnFields {
  id: string;
}

export class ContactColumn {
  @TextField('Id of the column; the key of its cells in rows', exampleId)
  id: string;

  @TextField('Name of the column', 'Email')
  name: string;

  @EnumField(contactColumnTypes, 'Type of the cells', 'EMAIL')
  type: ContactColumnType;

  @IsOptional()
  @TextListField('Options of a SELECT or MULTI SELECT column; absent for other types', ['gold', 'silver'])
  options?: string[];
}

export class ContactTable {
  @TextField('Id of the table', exampleId)
  id: string;

  @ListField(ContactColumn, 'Columns in display order')
  columns: ContactColumn[];

  @TextField('Time of creation', exampleTime)
  created_datetime: string;

  @OptionalTextField('Time of the last change of the columns', exampleTime)
  updated_datetime?: string;
}

export class AddedContactColumn extends ContactTable {
  @ObjectField(ContactColumn, 'The new column')
  column: ContactColumn;
}
