import {
  type ContactCellsRequest,
  type ContactRowAnswer,
  type ContactRowId,
  createContactRow,
  findContactRow,
  patchContactRow,
  type PatchContactRowRequest,
  removeContactRow,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { RowsService } from './rows.service.js';

@Controller()
export class RowsHandler {
  constructor(private readonly service: RowsService) {}

  @Handles(createContactRow)
  create(request: ContactCellsRequest, context: RequestContext): Promise<ContactRowAnswer> {
    return this.service.create(request, context);
  }

  @Handles(patchContactRow)
  patch(request: PatchContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    return this.service.patch(request, context);
  }

  @Handles(findContactRow)
  find(request: ContactRowId, context: RequestContext): Promise<ContactRowAnswer> {
    return this.service.find(request, context);
  }

  @Handles(removeContactRow)
  remove(request: ContactRowId, context: RequestContext): Promise<ContactRowAnswer> {
    return this.service.remove(request, context);
  }
}
