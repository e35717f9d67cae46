import { IsUUID } from 'class-validator';
import { PageQuery } from '../pagination.dto.js';
import { ApiField } from '../schema/api-field.js';
import { Required } from '../validation/decorators.js';

/** An import or an export that is due. */
export class ContactTransferDue {
  @Required()
  @IsUUID()
  id: string;
}

export const defaultTransferPageSize = 20;

/** For lists of imports and of exports. */
export class ListContactTransfersRequest extends PageQuery {}

ApiField(`Maximum number of items on the page. Default: ${defaultTransferPageSize}`, 10)(
  ListContactTransfersRequest.prototype,
  'limit',
);
