import {
  addContactColumn,
  type AddContactColumnRequest,
  changeContactColumn,
  type ChangeContactColumnRequest,
  type ContactColumnId,
  type ContactTable,
  readContactTable,
  removeContactColumn,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { TablesService } from './tables.service.js';

@Controller()
export class TablesHandler {
  constructor(private readonly service: TablesService) {}

  @Handles(readContactTable)
  read(_: object, context: RequestContext): Promise<ContactTable> {
    return this.service.read(context);
  }

  @Handles(addContactColumn)
  addColumn(request: AddContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    return this.service.addColumn(request, context);
  }

  @Handles(changeContactColumn)
  changeColumn(request: ChangeContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    return this.service.changeColumn(request, context);
  }

  @Handles(removeContactColumn)
  removeColumn(request: ContactColumnId, context: RequestContext): Promise<ContactTable> {
    return this.service.removeColumn(request, context);
  }
}
