import { Module } from '@nestjs/common';
import { gatewayRetention } from '../gateway.retention.js';
import { ResponseTally } from './response-tally.js';
import { StorageMonitor } from './storage-monitor.js';

@Module({
  providers: [StorageMonitor, ResponseTally, gatewayRetention],
  exports: [StorageMonitor, ResponseTally],
})
export class StorageModule {}
