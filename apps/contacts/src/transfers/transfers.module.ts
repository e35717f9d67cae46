import { Module } from '@nestjs/common';
import { TransferAnnouncer } from './announcer.js';
import { TransferMetrics } from './transfer-metrics.js';

@Module({
  providers: [TransferAnnouncer, TransferMetrics],
  exports: [TransferAnnouncer, TransferMetrics],
})
export class TransfersModule {}
