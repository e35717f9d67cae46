import { IsOptional, IsString } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { MaxLength } from '../validation/max-length.js';
import { NestedList } from '../validation/nested.js';
import { NotBlank } from '../validation/not-blank.js';
import { OneLine } from '../validation/one-line.js';
import { Required } from '../validation/required.js';
import { ContactFilter } from './contact-filter.dto.js';
import { FilterList } from './filter-list.js';

const longestSmartlistName = 100;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const time = '2026-11-15T09:30:00.123000+00:00';
const filters = [{ name: 'Name', operator: 'start_with', value: 'Ada' }];

export class CreateSmartlistRequest {
  @Required()
  @IsString()
  @OneLine()
  @MaxLength(longestSmartlistName)
  @ApiField('What people call it; no two smartlists have the same name', 'Adas')
  name: string;

  @Required()
  @FilterList()
  @ApiField('A row has to match all of them', filters)
  filters: ContactFilter[];
}

export class ChangeSmartlistFields {
  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(longestSmartlistName)
  @ApiField('Its new name', 'Everybody called Ada')
  name?: string;

  @IsOptional()
  @FilterList()
  @ApiField('Filters in place of those it has', filters)
  filters?: ContactFilter[];
}

export class SmartlistId {
  @Required()
  @IsString()
  id: string;
}

export class ChangeSmartlistRequest extends ChangeSmartlistFields {
  @Required()
  @IsString()
  id: string;
}

export class Smartlist {
  @IsString()
  @ApiField('Of the smartlist', id)
  id: string;

  @IsString()
  @ApiField('What people call it', 'Adas')
  name: string;

  @NestedList(ContactFilter)
  @ApiField('What its rows have in common; the smartlist of all contacts has none')
  filters: ContactFilter[];

  @IsString()
  @ApiField('When it was made', time)
  created_datetime: string;

  @IsString()
  @ApiField('When it was last changed', time)
  updated_datetime: string;
}
