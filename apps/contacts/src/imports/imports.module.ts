import { Module } from '@nestjs/common';
import { RowsModule } from '../rows/rows.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { TransfersModule } from '../transfers/transfers.module.js';
import { ImportDesk } from './import-desk.js';
import { ImportProgressRepository } from './import-progress.repository.js';
import { ImportWork } from './import-work.js';
import { ImportsHandler } from './imports.handler.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [TablesModule, RowsModule, TransfersModule],
  controllers: [ImportsHandler],
  providers: [ImportsService, ImportsRepository, ImportDesk, ImportWork, ImportProgressRepository],
  exports: [ImportsRepository],
})
export class ImportsModule {}
