import { Module } from '@nestjs/common';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ReportSweeper } from './report-sweeper.js';
import { ReportedDeliveries } from './reported-deliveries.js';
import { ReportedParts } from './reported-parts.js';
import { ReportsService } from './reports.service.js';
import { SimulatedReports } from './simulated-reports.js';
import { StatePoller, StatePollerRunner } from './state-poller.js';

@Module({
  imports: [OutcomeModule, ProvidersModule],
  providers: [
    ...[ReportsService, ReportedDeliveries, ReportedParts, ReportSweeper, SimulatedReports],
    ...[StatePoller, StatePollerRunner],
  ],
  exports: [ReportsService],
})
export class ReportsModule {}
