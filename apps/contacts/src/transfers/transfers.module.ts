import { Module } from '@nestjs/common';
import { TransferMetrics } from './transfers.metrics.js';

@Module({ providers: [TransferMetrics], exports: [TransferMetrics] })
export class TransfersModule {}
