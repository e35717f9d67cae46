import { Module } from '@nestjs/common';
import { SmartlistsModule } from '../smartlists/smartlists.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { QuerySlots } from './query-slots.js';
import { QueryHandler } from './query.handler.js';
import { QueryRepository } from './query.repository.js';
import { QueryService } from './query.service.js';

@Module({
  imports: [TablesModule, SmartlistsModule],
  controllers: [QueryHandler],
  providers: [QueryService, QueryRepository, QuerySlots],
  exports: [QueryService, QuerySlots],
})
export class QueryModule {}
