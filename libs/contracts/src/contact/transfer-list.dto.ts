import { PageQuery } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';

export const defaultTransferPageSize = 20;

/** For lists of imports and of exports. */
export class ListContactTransfersRequest extends PageQuery {}

ApiField(`Maximum number of items on the page. Default: ${defaultTransferPageSize}`, 10)(
  ListContactTransfersRequest.prototype,
  'limit',
);
