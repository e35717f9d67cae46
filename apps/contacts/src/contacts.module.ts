import { Module } from '@nestjs/common';
import { AudienceHandler } from './audiences/audience.handler.js';
import { AudienceRepository } from './audiences/audience.repository.js';
import { AudienceService } from './audiences/audience.service.js';
import { ContactsHandler } from './contacts.handler.js';
import { ExportDesk } from './exports/export-desk.js';
import { ExportProgressRepository } from './exports/export-progress.repository.js';
import { ExportWork } from './exports/export-work.js';
import { ExportsHandler } from './exports/exports.handler.js';
import { ExportsRepository } from './exports/exports.repository.js';
import { ExportsService } from './exports/exports.service.js';
import { ImportDesk } from './imports/import-desk.js';
import { ImportProgressRepository } from './imports/import-progress.repository.js';
import { ImportWork } from './imports/import-work.js';
import { ImportsHandler } from './imports/imports.handler.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { ImportsService } from './imports/imports.service.js';
import { QueryRepository } from './query/query.repository.js';
import { QueryTurns } from './query/query-turns.js';
import { QueryService } from './query/query.service.js';
import { RowsRepository } from './rows/rows.repository.js';
import { RowsService } from './rows/rows.service.js';
import { UpsertRows } from './rows/upsert-rows.js';
import { SmartlistsRepository } from './smartlists/smartlists.repository.js';
import { SmartlistsService } from './smartlists/smartlists.service.js';
import { ColumnsRepository } from './tables/columns.repository.js';
import { TablesRepository } from './tables/tables.repository.js';
import { TablesService } from './tables/tables.service.js';
import { TransferAnnouncer } from './transfers/announcer.js';
import { TransferMetrics } from './transfers/transfer-metrics.js';
import { TransferPruner } from './transfers/transfer-pruner.js';
import { Upkeep } from './upkeep/upkeep.js';
import { UpkeepRepository } from './upkeep/upkeep.repository.js';

@Module({
  controllers: [ContactsHandler, ImportsHandler, ExportsHandler, AudienceHandler],
  providers: [
    ...[TablesService, TablesRepository, ColumnsRepository],
    ...[RowsService, RowsRepository, UpsertRows],
    ...[QueryService, QueryRepository, QueryTurns],
    ...[SmartlistsService, SmartlistsRepository, AudienceService, AudienceRepository],
    ...[Upkeep, UpkeepRepository],
    ...[ImportsService, ImportsRepository, ImportWork, ImportProgressRepository, ImportDesk],
    ...[ExportsService, ExportsRepository, ExportWork, ExportProgressRepository, ExportDesk],
    ...[TransferAnnouncer, TransferMetrics, TransferPruner],
  ],
})
export class ContactsModule {}
