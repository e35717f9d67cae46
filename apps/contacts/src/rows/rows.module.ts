import { Module } from '@nestjs/common';
import { TablesModule } from '../tables/tables.module.js';
import { OptOutsRepository } from './opt-outs.repository.js';
import { RowsRepository } from './rows.repository.js';
import { RowsService } from './rows.service.js';
import { UpsertsRepository } from './upserts.repository.js';

@Module({
  imports: [TablesModule],
  providers: [RowsService, RowsRepository, UpsertsRepository, OptOutsRepository],
  exports: [RowsService, RowsRepository, UpsertsRepository, OptOutsRepository],
})
export class RowsModule {}
