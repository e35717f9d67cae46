import { Module } from '@nestjs/common';
import { QueryModule } from '../query/query.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { TransfersModule } from '../transfers/transfers.module.js';
import { ExportProgressRepository } from './export-progress.repository.js';
import { ExportJob, ExportRunner } from './export-runner.js';
import { ExportsRepository } from './exports.repository.js';
import { ExportsService } from './exports.service.js';

@Module({
  imports: [TablesModule, QueryModule, TransfersModule],
  providers: [ExportsService, ExportsRepository, ExportProgressRepository, ExportJob, ExportRunner],
  exports: [ExportsService, ExportRunner],
})
export class ExportsModule {}
