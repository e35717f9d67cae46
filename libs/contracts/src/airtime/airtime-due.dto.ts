import { IsUUID } from 'class-validator';
import { Required } from '../validation/required.js';

/** A purchase that was paid for and waits for its provider. */
export class AirtimeDue {
  @Required()
  @IsUUID()
  id: string;
}
