import * as dto from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
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
@Forwards(dto.readContactTable, TablesService, (tables, _, context) => tables.read(context))
@Forwards(dto.addContactColumn, TablesService, (tables, ...call) => tables.addColumn(...call))
@Forwards(dto.changeContactColumn, TablesService, (tables, ...call) => tables.changeColumn(...call))
@Forwards(dto.removeContactColumn, TablesService, (tables, ...call) => tables.removeColumn(...call))
@Forwards(dto.createContactRow, RowsService, (rows, ...call) => rows.create(...call))
@Forwards(dto.patchContactRow, RowsService, (rows, ...call) => rows.patch(...call))
@Forwards(dto.findContactRow, RowsService, (rows, ...call) => rows.find(...call))
@Forwards(dto.removeContactRow, RowsService, (rows, ...call) => rows.remove(...call))
@Forwards(dto.createSmartlist, SmartlistsService, (smartlists, ...call) => smartlists.create(...call))
@Forwards(dto.listSmartlists, SmartlistsService, (smartlists, _, context) => smartlists.list(context))
@Forwards(dto.findSmartlist, SmartlistsService, (smartlists, ...call) => smartlists.find(...call))
@Forwards(dto.changeSmartlist, SmartlistsService, (smartlists, ...call) => smartlists.change(...call))
@Forwards(dto.removeSmartlist, SmartlistsService, (smartlists, ...call) => smartlists.remove(...call))
@Forwards(dto.queryContactRows, QueryService, (queries, ...call) => queries.query(...call))
@Forwards(dto.openSmartlist, AudienceService, (audiences, ...call) => audiences.open(...call))
@Forwards(dto.readSmartlist, AudienceService, (audiences, ...call) => audiences.read(...call))
@Forwards(dto.importContactsPart, ImportsService, (imports, ...call) => imports.takePart(...call))
@Forwards(dto.findContactImport, ImportsService, (imports, ...call) => imports.find(...call))
@Forwards(dto.readRejectedPart, ImportsService, (imports, ...call) => imports.readRejectedPart(...call))
@Forwards(dto.listContactImports, ImportsService, (imports, ...call) => imports.list(...call))
@Forwards(dto.contactUploadAbandoned, ImportsService, (imports, ...call) => imports.abandon(...call))
@Forwards(dto.contactImportDue, ImportRunner, (runner) => runner.look())
@Forwards(dto.exportContacts, ExportsService, (exports, ...call) => exports.create(...call))
@Forwards(dto.findContactExport, ExportsService, (exports, ...call) => exports.find(...call))
@Forwards(dto.listContactExports, ExportsService, (exports, ...call) => exports.list(...call))
@Forwards(dto.removeContactExport, ExportsService, (exports, ...call) => exports.remove(...call))
@Forwards(dto.readContactExportPart, ExportsService, (exports, ...call) => exports.readPart(...call))
@Forwards(dto.contactExportDue, ExportRunner, (runner) => runner.look())
export class ContactsHandler {}
