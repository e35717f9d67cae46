import { Module } from '@nestjs/common';
import { QueryModule } from '../query/query.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { TransfersModule } from '../transfers/transfers.module.js';
import { ExportProgressRepository } from './export-progress.repository.js';
import { ExportJob, ExportRunner } from './export-runner.js';
import { ExportsHandler } from './exports.handler.js';
import { ExportsRepository } from './exports.repository.js';
import { ExportsService } from './exports.service.js';

@Module({
  imports: [TablesModule, QueryModule, TransfersModule],
  controllers: [ExportsHandler],
  providers: [ExportsService, ExportsRepository, ExportProgressRepository, ExportJob, ExportRunner],
})
export class ExportsModule {}
