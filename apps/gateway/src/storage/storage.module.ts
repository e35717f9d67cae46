import { Module } from '@nestjs/common';
import { StorageMonitor } from './storage-monitor.js';

@Module({ providers: [StorageMonitor], exports: [StorageMonitor] })
export class StorageModule {}
