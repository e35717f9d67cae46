import { IsOptional, IsString } from 'class-validator';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { MaxLength, NotBlank, OneLine, Required } from '../validation/decorators.js';
import { NestedList } from '../validation/nested.js';
import { ContactFilter, FilterList } from './contact-filter.dto.js';

const maxSmartlistNameLength = 100;

const filters = [{ name: 'Name', operator: 'start_with', value: 'Ada' }];

export class CreateSmartlistRequest {
  @Required()
  @IsString()
  @OneLine()
  @MaxLength(maxSmartlistNameLength)
  @ApiField('Name of the smartlist, unique in the organisation', 'Adas')
  name: string;

  @Required()
  @FilterList()
  @ApiField('Filters; a row must match all of them', filters)
  filters: ContactFilter[];
}

export class ChangeSmartlistFields {
  @IsOptional()
  @IsString()
  @NotBlank()
  @OneLine()
  @MaxLength(maxSmartlistNameLength)
  @ApiField('New name', 'People called Ada')
  name?: string;

  @IsOptional()
  @FilterList()
  @ApiField('New filters; they replace the current ones', filters)
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
  @ApiField('Id of the smartlist', exampleId)
  id: string;

  @IsString()
  @ApiField('Name of the smartlist', 'Adas')
  name: string;

  @NestedList(ContactFilter)
  @ApiField('Filters of the smartlist; empty for the smartlist of all contacts')
  filters: ContactFilter[];

  @IsString()
  @ApiField('Time of creation', exampleTime)
  created_datetime: string;

  @IsString()
  @ApiField('Time of the last change', exampleTime)
  updated_datetime: string;
}
