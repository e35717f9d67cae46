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
  readContactTable(_: object, context: RequestContext) {
    return this.tables.read(context);
  }

  @Handles(dto.addContactColumn)
  addContactColumn(request: dto.AddContactColumnRequest, context: RequestContext) {
    return this.tables.addColumn(request, context);
  }

  @Handles(dto.changeContactColumn)
  changeContactColumn(request: dto.ChangeContactColumnRequest, context: RequestContext) {
    return this.tables.changeColumn(request, context);
  }

  @Handles(dto.removeContactColumn)
  removeContactColumn(request: dto.RecordId, context: RequestContext) {
    return this.tables.removeColumn(request, context);
  }

  @Handles(dto.createContactRow)
  createContactRow(request: dto.CreateContactRowRequest, context: RequestContext) {
    return this.rows.create(request, context);
  }

  @Handles(dto.patchContactRow)
  patchContactRow(request: dto.PatchContactRowRequest, context: RequestContext) {
    return this.rows.patch(request, context);
  }

  @Handles(dto.findContactRow)
  findContactRow(request: dto.FindContactRowRequest, context: RequestContext) {
    return this.rows.find(request, context);
  }

  @Handles(dto.removeContactRow)
  removeContactRow(request: dto.FindContactRowRequest, context: RequestContext) {
    return this.rows.remove(request, context);
  }

  @Handles(dto.createSmartlist)
  createSmartlist(request: dto.CreateSmartlistRequest, context: RequestContext) {
    return this.smartlists.create(request, context);
  }

  @Handles(dto.listSmartlists)
  listSmartlists(_: object, context: RequestContext) {
    return this.smartlists.list(context);
  }

  @Handles(dto.findSmartlist)
  findSmartlist(request: dto.RecordId, context: RequestContext) {
    return this.smartlists.find(request, context);
  }

  @Handles(dto.changeSmartlist)
  changeSmartlist(request: dto.ChangeSmartlistRequest, context: RequestContext) {
    return this.smartlists.change(request, context);
  }

  @Handles(dto.removeSmartlist)
  removeSmartlist(request: dto.RecordId, context: RequestContext) {
    return this.smartlists.remove(request, context);
  }

  @Handles(dto.queryContactRows)
  queryContactRows(request: dto.QueryContactRowsRequest, context: RequestContext) {
    return this.queries.query(request, context);
  }

  @Handles(dto.openSmartlist)
  openSmartlist(request: dto.OpenSmartlistRequest, context: RequestContext) {
    return this.audiences.open(request, context);
  }

  @Handles(dto.readSmartlist)
  readSmartlist(request: dto.ReadSmartlistRequest, context: RequestContext) {
    return this.audiences.read(request, context);
  }

  @Handles(dto.importContactsPart)
  importContactsPart(request: dto.ImportContactsPart, context: RequestContext) {
    return this.imports.takePart(request, context);
  }

  @Handles(dto.findContactImport)
  findContactImport(request: dto.RecordId, context: RequestContext) {
    return this.imports.find(request, context);
  }

  @Handles(dto.readRejectedPart)
  readRejectedPart(request: dto.FilePartId, context: RequestContext) {
    return this.imports.readRejectedPart(request, context);
  }

  @Handles(dto.listContactImports)
  listContactImports(request: dto.ListContactTransfersRequest, context: RequestContext) {
    return this.imports.list(request, context);
  }

  @Handles(dto.contactUploadAbandoned)
  contactUploadAbandoned(event: dto.RecordEvent, context: RequestContext) {
    return this.imports.abandon(event, context);
  }

  @Handles(dto.contactImportDue)
  contactImportDue() {
    return this.importRunner.look();
  }

  @Handles(dto.exportContacts)
  exportContacts(request: dto.ContactRowsQuery, context: RequestContext) {
    return this.exports.create(request, context);
  }

  @Handles(dto.findContactExport)
  findContactExport(request: dto.RecordId, context: RequestContext) {
    return this.exports.find(request, context);
  }

  @Handles(dto.listContactExports)
  listContactExports(request: dto.ListContactTransfersRequest, context: RequestContext) {
    return this.exports.list(request, context);
  }

  @Handles(dto.removeContactExport)
  removeContactExport(request: dto.RecordId, context: RequestContext) {
    return this.exports.remove(request, context);
  }

  @Handles(dto.readContactExportPart)
  readContactExportPart(request: dto.FilePartId, context: RequestContext) {
    return this.exports.readPart(request, context);
  }

  @Handles(dto.contactExportDue)
  contactExportDue() {
    return this.exportRunner.look();
  }
}
