import { Module } from '@nestjs/common';
import { AudienceModule } from './audience/audience.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { QueryModule } from './query/query.module.js';
import { RowsModule } from './rows/rows.module.js';
import { SmartlistsModule } from './smartlists/smartlists.module.js';
import { TablesModule } from './tables/tables.module.js';
import { RetentionModule } from './retention/retention.module.js';

@Module({
  imports: [
    TablesModule,
    RowsModule,
    QueryModule,
    SmartlistsModule,
    AudienceModule,
    ImportsModule,
    ExportsModule,
    RetentionModule,
  ],
})
export class ContactsModule {}
