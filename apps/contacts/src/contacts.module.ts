import { LeasesModule } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { AudienceRepository } from './audience/audience.repository.js';
import { AudienceService } from './audience/audience.service.js';
import { contactsRetention } from './contacts.retention.js';
import { ContactsHandler } from './contacts.handler.js';
import { ExportProgressRepository } from './exports/export-progress.repository.js';
import { ExportJob, ExportRunner } from './exports/export-runner.js';
import { ExportsRepository } from './exports/exports.repository.js';
import { ExportsService } from './exports/exports.service.js';
import { ImportJob, ImportRunner } from './imports/import-runner.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { ImportsService } from './imports/imports.service.js';
import { UploadsRepository } from './imports/uploads.repository.js';
import { QueryRepository } from './query/query.repository.js';
import { QueryService } from './query/query.service.js';
import { QuerySlots } from './query/query-slots.js';
import { Quotas } from './quotas/quotas.js';
import { AuditHeads } from './retention/audit-heads.js';
import { ContactTallies } from './retention/contact-tallies.js';
import { RemovedColumns } from './retention/removed-columns.js';
import { OptOutsRepository } from './rows/opt-outs.repository.js';
import { RowsRepository } from './rows/rows.repository.js';
import { RowsService } from './rows/rows.service.js';
import { UpsertsRepository } from './rows/upserts.repository.js';
import { SmartlistsRepository } from './smartlists/smartlists.repository.js';
import { SmartlistsService } from './smartlists/smartlists.service.js';
import { TablesRepository } from './tables/tables.repository.js';
import { TablesService } from './tables/tables.service.js';
import { TransferMetrics } from './transfers/transfers.metrics.js';

const tables = [TablesRepository, TablesService, Quotas];
const rows = [RowsRepository, UpsertsRepository, OptOutsRepository, RowsService];
const smartlists = [SmartlistsRepository, SmartlistsService, AudienceRepository, AudienceService];
const queries = [QuerySlots, QueryRepository, QueryService];
const imports = [ImportsRepository, UploadsRepository, ImportsService, ImportJob, ImportRunner];
const exports = [ExportsRepository, ExportProgressRepository, ExportsService, ExportJob, ExportRunner];
const transfers = [...imports, ...exports, TransferMetrics];
const retention = [contactsRetention, ContactTallies, RemovedColumns, AuditHeads];

@Module({
  imports: [LeasesModule.forApp('contacts')],
  controllers: [ContactsHandler],
  providers: [...tables, ...rows, ...smartlists, ...queries, ...transfers, ...retention],
})
export class ContactsModule {}
