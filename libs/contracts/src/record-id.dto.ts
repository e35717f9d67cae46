import { IsString, IsUUID } from 'class-validator';
import { Required } from './validation/decorators.js';

/** A request for one record. */
export class RecordId {
  @Required()
  @IsString()
  id: string;
}

/** An event about one row, which has all further data. */
export class RecordEvent {
  @Required()
  @IsUUID()
  id: string;
}
