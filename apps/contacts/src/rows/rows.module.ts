import { Module } from '@nestjs/common';
import { TablesModule } from '../tables/tables.module.js';
import { RowsHandler } from './rows.handler.js';
import { RowsRepository } from './rows.repository.js';
import { RowsService } from './rows.service.js';
import { UpsertRows } from './upsert-rows.js';

@Module({
  imports: [TablesModule],
  controllers: [RowsHandler],
  providers: [RowsService, RowsRepository, UpsertRows],
  exports: [RowsRepository, UpsertRows],
})
export class RowsModule {}
