import * as dto from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AudienceService } from './audience/audience.service.js';
import { ExportRunner } from './exports/export-runner.js';
import { ExportsService } from './exports/exports.service.js';
import { ImportRunner } from './imports/import-runner.js';
import { ImportsService } from './imports/imports.service.js';
import { QueryService } from './query/query.service.js';
import { RowsService } from './rows/rows.service.js';
import { SmartlistsService } from './smartlists/smartlists.service.js';
import { TablesService } from './tables/tables.service.js';

@Controller()
export class ContactsHandler {
  constructor(
    private readonly tables: TablesService,
    private readonly rows: RowsService,
    private readonly smartlists: SmartlistsService,
    private readonly queries: QueryService,
    private readonly audiences: AudienceService,
    private readonly imports: ImportsService,
    private readonly importRunner: ImportRunner,
    private readonly exports: ExportsService,
    private readonly exportRunner: ExportRunner,
  ) {}

  @Handles(dto.readContactTable)
  readTable(_: object, context: RequestContext): Promise<dto.ContactTable> {
    return this.tables.read(context);
  }

  @Handles(dto.addContactColumn)
  addColumn(request: dto.AddContactColumnRequest, context: RequestContext): Promise<dto.ContactTable> {
    return this.tables.addColumn(request, context);
  }

  @Handles(dto.changeContactColumn)
  changeColumn(request: dto.ChangeContactColumnRequest, context: RequestContext): Promise<dto.ContactTable> {
    return this.tables.changeColumn(request, context);
  }

  @Handles(dto.removeContactColumn)
  removeColumn(request: dto.RecordId, context: RequestContext): Promise<dto.ContactTable> {
    return this.tables.removeColumn(request, context);
  }

  @Handles(dto.createContactRow)
  createRow(request: dto.ContactCellsRequest, context: RequestContext): Promise<dto.ContactRowAnswer> {
    return this.rows.create(request, context);
  }

  @Handles(dto.patchContactRow)
  patchRow(request: dto.PatchContactRowRequest, context: RequestContext): Promise<dto.ContactRowAnswer> {
    return this.rows.patch(request, context);
  }

  @Handles(dto.findContactRow)
  findRow(request: dto.RecordId, context: RequestContext): Promise<dto.ContactRowAnswer> {
    return this.rows.find(request, context);
  }

  @Handles(dto.removeContactRow)
  removeRow(request: dto.RecordId, context: RequestContext): Promise<dto.ContactRowAnswer> {
    return this.rows.remove(request, context);
  }

  @Handles(dto.createSmartlist)
  createSmartlist(request: dto.CreateSmartlistRequest, context: RequestContext): Promise<dto.Smartlist> {
    return this.smartlists.create(request, context);
  }

  @Handles(dto.listSmartlists)
  listSmartlists(_: object, context: RequestContext): Promise<dto.Smartlist[]> {
    return this.smartlists.list(context);
  }

  @Handles(dto.findSmartlist)
  findSmartlist(request: dto.RecordId, context: RequestContext): Promise<dto.Smartlist> {
    return this.smartlists.find(request, context);
  }

  @Handles(dto.changeSmartlist)
  changeSmartlist(request: dto.ChangeSmartlistRequest, context: RequestContext): Promise<dto.Smartlist> {
    return this.smartlists.change(request, context);
  }

  @Handles(dto.removeSmartlist)
  removeSmartlist(request: dto.RecordId, context: RequestContext): Promise<dto.Smartlist> {
    return this.smartlists.remove(request, context);
  }

  @Handles(dto.queryContactRows)
  queryRows(request: dto.QueryContactRowsRequest, context: RequestContext): Promise<dto.ContactRowsPage> {
    return this.queries.query(request, context);
  }

  @Handles(dto.openSmartlist)
  openSmartlist(request: dto.OpenSmartlistRequest, context: RequestContext): Promise<dto.OpenedSmartlist> {
    return this.audiences.open(request, context);
  }

  @Handles(dto.readSmartlist)
  readSmartlist(request: dto.ReadSmartlistRequest, context: RequestContext): Promise<dto.SmartlistRows> {
    return this.audiences.read(request, context);
  }

  @Handles(dto.importContactsPart)
  takeImportPart(request: dto.ImportContactsPart, context: RequestContext): Promise<dto.ContactImport> {
    return this.imports.takePart(request, context);
  }

  @Handles(dto.findContactImport)
  findImport(request: dto.RecordId, context: RequestContext): Promise<dto.ContactImport> {
    return this.imports.find(request, context);
  }

  @Handles(dto.listContactImports)
  listImports(
    request: dto.ListContactTransfersRequest,
    context: RequestContext,
  ): Promise<dto.ContactImportPage> {
    return this.imports.list(request, context);
  }

  @Handles(dto.contactUploadAbandoned)
  abandonImport(event: dto.RecordEvent, context: RequestContext): Promise<void> {
    return this.imports.abandon(event, context);
  }

  @Handles(dto.contactImportDue)
  runImports(): Promise<boolean> {
    return this.importRunner.look();
  }

  @Handles(dto.exportContacts)
  createExport(request: dto.ContactRowsQuery, context: RequestContext): Promise<dto.ContactExport> {
    return this.exports.create(request, context);
  }

  @Handles(dto.findContactExport)
  findExport(request: dto.RecordId, context: RequestContext): Promise<dto.ContactExport> {
    return this.exports.find(request, context);
  }

  @Handles(dto.listContactExports)
  listExports(
    request: dto.ListContactTransfersRequest,
    context: RequestContext,
  ): Promise<dto.ContactExportPage> {
    return this.exports.list(request, context);
  }

  @Handles(dto.removeContactExport)
  removeExport(request: dto.RecordId, context: RequestContext): Promise<dto.ContactExport> {
    return this.exports.remove(request, context);
  }

  @Handles(dto.readContactExportPart)
  readExportPart(request: dto.ContactExportPartId, context: RequestContext): Promise<dto.ContactExportPart> {
    return this.exports.readPart(request, context);
  }

  @Handles(dto.contactExportDue)
  runExports(): Promise<boolean> {
    return this.exportRunner.look();
  }
}
