import {
  addContactColumn,
  type AddContactColumnRequest,
  changeContactColumn,
  type ChangeContactColumnRequest,
  changeSmartlist,
  type ChangeSmartlistRequest,
  type ContactCellsRequest,
  type ContactColumnId,
  type ContactRowAnswer,
  type ContactRowId,
  type ContactRowsPage,
  type ContactTable,
  createContactRow,
  createSmartlist,
  type CreateSmartlistRequest,
  findContactRow,
  findSmartlist,
  listSmartlists,
  patchContactRow,
  type PatchContactRowRequest,
  queryContactRows,
  type QueryContactRowsRequest,
  readContactTable,
  removeContactColumn,
  removeContactRow,
  removeSmartlist,
  type Smartlist,
  type SmartlistId,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { QueryService } from './query/query.service.js';
import { RowsService } from './rows/rows.service.js';
import { SmartlistsService } from './smartlists/smartlists.service.js';
import { TablesService } from './tables/tables.service.js';

@Controller()
export class ContactsHandler {
  constructor(
    private readonly tables: TablesService,
    private readonly rows: RowsService,
    private readonly queries: QueryService,
    private readonly smartlists: SmartlistsService,
  ) {}

  @Handles(readContactTable)
  table(_: object, context: RequestContext): Promise<ContactTable> {
    return this.tables.read(context);
  }

  @Handles(addContactColumn)
  addColumn(request: AddContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    return this.tables.addColumn(request, context);
  }

  @Handles(changeContactColumn)
  changeColumn(request: ChangeContactColumnRequest, context: RequestContext): Promise<ContactTable> {
    return this.tables.changeColumn(request, context);
  }

  @Handles(removeContactColumn)
  removeColumn(request: ContactColumnId, context: RequestContext): Promise<ContactTable> {
    return this.tables.removeColumn(request, context);
  }

  @Handles(createContactRow)
  createRow(request: ContactCellsRequest, context: RequestContext): Promise<ContactRowAnswer> {
    return this.rows.create(request, context);
  }

  @Handles(patchContactRow)
  patchRow(request: PatchContactRowRequest, context: RequestContext): Promise<ContactRowAnswer> {
    return this.rows.patch(request, context);
  }

  @Handles(findContactRow)
  findRow(request: ContactRowId, context: RequestContext): Promise<ContactRowAnswer> {
    return this.rows.find(request, context);
  }

  @Handles(removeContactRow)
  removeRow(request: ContactRowId, context: RequestContext): Promise<ContactRowAnswer> {
    return this.rows.remove(request, context);
  }

  @Handles(queryContactRows)
  query(request: QueryContactRowsRequest, context: RequestContext): Promise<ContactRowsPage> {
    return this.queries.query(request, context);
  }

  @Handles(createSmartlist)
  createSmartlist(request: CreateSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    return this.smartlists.create(request, context);
  }

  @Handles(listSmartlists)
  listSmartlists(_: object, context: RequestContext): Promise<Smartlist[]> {
    return this.smartlists.list(context);
  }

  @Handles(findSmartlist)
  findSmartlist(request: SmartlistId, context: RequestContext): Promise<Smartlist> {
    return this.smartlists.find(request, context);
  }

  @Handles(changeSmartlist)
  changeSmartlist(request: ChangeSmartlistRequest, context: RequestContext): Promise<Smartlist> {
    return this.smartlists.change(request, context);
  }

  @Handles(removeSmartlist)
  removeSmartlist(request: SmartlistId, context: RequestContext): Promise<Smartlist> {
    return this.smartlists.remove(request, context);
  }
}
