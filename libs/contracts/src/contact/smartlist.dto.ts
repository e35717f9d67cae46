import { IsOptional } from 'class-validator';
import { ApiField, exampleId, exampleTime } from '../schema/api-field.js';
import { ListField, OptionalTextField, RequiredTextField, TextField } from '../schema/fields.js';
import { IsName, MaxLength, OneLine, Required } from '../validation/fields/decorators.js';
import { ContactFilter, FilterList } from './contact-filter.dto.js';

const maxSmartlistNameLength = 100;

const filters = [{ name: 'Name', operator: 'start_with', value: 'Ada' }];

export class CreateSmartlistRequest {
  @RequiredTextField('Name of the smartlist, unique in the organisation', 'Adas')
  @OneLine()
  @MaxLength(maxSmartlistNameLength)
  name: string;

  @Required()
  @FilterList()
  @ApiField('Filters and groups of filters; a row must match all of them', filters)
  filters: ContactFilter[];
}

export class ChangeSmartlistFields {
  @OptionalTextField('New name', 'People called Ada')
  @IsName(maxSmartlistNameLength)
  name?: string;

  @IsOptional()
  @FilterList()
  @ApiField('New filters; they replace the current ones', filters)
  filters?: ContactFilter[];
}

export class ChangeSmartlistRequest extends ChangeSmartlistFields {
  id: string;
}

export class Smartlist {
  @TextField('Id of the smartlist', exampleId)
  id: string;

  @TextField('Name of the smartlist', 'Adas')
  name: string;

  @ListField(ContactFilter, 'Filters of the smartlist; empty for the smartlist of all contacts')
  filters: ContactFilter[];

  @TextField('Time of creation', exampleTime)
  created_datetime: string;

  @TextField('Time of the last change', exampleTime)
  updated_datetime: string;
}
