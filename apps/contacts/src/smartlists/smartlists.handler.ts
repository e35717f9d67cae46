import {
  changeSmartlist,
  type ChangeSmartlistRequest,
  createSmartlist,
  type CreateSmartlistRequest,
  findSmartlist,
  listSmartlists,
  removeSmartlist,
  type Smartlist,
  type SmartlistId,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { SmartlistsService } from './smartlists.service.js';

@Controller()
export class SmartlistsHandler {
  constructor(private readonly service: SmartlistsService) {}

  @Handles(createSmartlist)
  create(request: CreateSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    return this.service.create(request, context);
  }

  @Handles(listSmartlists)
  list(_: object, context: RequestContext): Promise<Smartlist[]> {
    return this.service.list(context);
  }

  @Handles(findSmartlist)
  find(request: SmartlistId, context: RequestContext): Promise<Smartlist> {
    return this.service.find(request, context);
  }

  @Handles(changeSmartlist)
  change(request: ChangeSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    return this.service.change(request, context);
  }

  @Handles(removeSmartlist)
  remove(request: SmartlistId, context: RequestContext): Promise<Smartlist> {
    return this.service.remove(request, context);
  }
}
