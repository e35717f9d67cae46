import { Announcer } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { TransferMetrics } from './transfers.metrics.js';

@Module({
  providers: [Announcer, TransferMetrics],
  exports: [Announcer, TransferMetrics],
})
export class TransfersModule {}
