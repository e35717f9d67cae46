import { IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { Describe } from '../schema/describe.js';
import { NestedList } from '../validation/nested.js';
import { type ContactColumnType, contactColumnTypes } from './column-types.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';

export class ContactColumn {
  @IsString()
  @Describe('Of the column: rows name their cells by it', id)
  id: string;

  @IsString()
  @Describe('What people call it', 'Email')
  name: string;

  @IsString()
  @IsIn(contactColumnTypes)
  @Describe('What its cells may hold', 'EMAIL')
  type: ContactColumnType;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  @Describe('What a cell of a SELECT or MULTI SELECT column may choose from; other columns have none', [
    'gold',
    'silver',
  ])
  options?: string[];
}

export class ContactTable {
  @IsString()
  @Describe('Of the table', id)
  id: string;

  @NestedList(ContactColumn)
  @Describe('In the order in which people see them')
  columns: ContactColumn[];

  @IsString()
  @Describe('When the table was made', time)
  created_datetime: string;

  @IsOptional()
  @IsString()
  @Describe('When its columns last changed', time)
  updated_datetime?: string;
}
