import { Module } from '@nestjs/common';
import { ResponseTally } from './response-tally.js';
import { StorageMonitor } from './storage-monitor.js';

@Module({ providers: [StorageMonitor, ResponseTally], exports: [StorageMonitor, ResponseTally] })
export class StorageModule {}
