import { Module } from '@nestjs/common';
import { TablesModule } from '../tables/tables.module.js';
import { RowsHandler } from './rows.handler.js';
import { RowsRepository } from './rows.repository.js';
import { RowsService } from './rows.service.js';
import { UpsertsRepository } from './upserts.repository.js';

@Module({
  imports: [TablesModule],
  controllers: [RowsHandler],
  providers: [RowsService, RowsRepository, UpsertsRepository],
  exports: [RowsRepository, UpsertsRepository],
})
export class RowsModule {}
