import { LeasesModule } from '@gangan/leases';
import { Global, Module } from '@nestjs/common';
import { AudienceModule } from './audience/audience.module.js';
import { ContactsHandler } from './contacts.handler.js';
import { ExportsModule } from './exports/exports.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { QueryModule } from './query/query.module.js';
import { Quotas } from './quotas.js';
import { RetentionModule } from './retention/retention.module.js';
import { RowsModule } from './rows/rows.module.js';
import { SmartlistsModule } from './smartlists/smartlists.module.js';
import { TablesModule } from './tables/tables.module.js';

/** Global: the modules of the folders use the providers of the files beside it. */
@Global()
@Module({
  imports: [
    ...[LeasesModule.forApp('contacts'), TablesModule, RowsModule, SmartlistsModule, QueryModule],
    ...[AudienceModule, ImportsModule, ExportsModule, RetentionModule],
  ],
  controllers: [ContactsHandler],
  providers: [Quotas],
  exports: [Quotas],
})
export class ContactsModule {}
