import { Module } from '@nestjs/common';
import { RowsModule } from '../rows/rows.module.js';
import { SmartlistsModule } from '../smartlists/smartlists.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { QueryRepository } from './query.repository.js';
import { QueryService } from './query.service.js';
import { QuerySlots } from './query-slots.js';

@Module({
  imports: [TablesModule, RowsModule, SmartlistsModule],
  providers: [QueryService, QueryRepository, QuerySlots],
  exports: [QueryService, QuerySlots],
})
export class QueryModule {}
