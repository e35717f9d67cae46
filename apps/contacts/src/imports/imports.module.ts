import { Module } from '@nestjs/common';
import { RowsModule } from '../rows/rows.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { TransfersModule } from '../transfers/transfers.module.js';
import { ImportJob, ImportRunner } from './import-runner.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';
import { UploadsRepository } from './uploads.repository.js';

@Module({
  imports: [TablesModule, RowsModule, TransfersModule],
  providers: [ImportsService, ImportsRepository, UploadsRepository, ImportJob, ImportRunner],
  exports: [ImportsService, ImportRunner],
})
export class ImportsModule {}
