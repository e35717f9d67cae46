import { IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { NestedList } from '../validation/nested.js';
import { type ContactColumnType, contactColumnTypes } from './column-types.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class ContactColumn {
  @IsString()
  @ApiField('Of the column: rows name their cells by it', id)
  id: string;

  @IsString()
  @ApiField('What people call it', 'Email')
  name: string;

  @IsString()
  @IsIn(contactColumnTypes)
  @ApiField('What its cells may hold', 'EMAIL')
  type: ContactColumnType;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @ApiField('What a cell of a SELECT or MULTI SELECT column may choose from; other columns have none', [
    'gold',
    'silver',
  ])
  options?: string[];
}

export class ContactTable {
  @IsString()
  @ApiField('Of the table', id)
  id: string;

  @NestedList(ContactColumn)
  @ApiField('In the order in which people see them')
  columns: ContactColumn[];

  @IsString()
  @ApiField('When the table was made', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @ApiField('When its columns last changed', time)
  updated_datetime?: string;
}
