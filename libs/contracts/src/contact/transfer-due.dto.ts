import { IsUUID } from 'class-validator';
import { Required } from '../validation/required.js';

/** An import or an export that waits for a worker. */
export class ContactTransferDue {
  @Required()
  @IsUUID()
  id: string;
}
