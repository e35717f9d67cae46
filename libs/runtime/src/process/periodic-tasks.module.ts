import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PeriodicTasks } from './periodic-tasks.js';

@Module({ imports: [DiscoveryModule], providers: [PeriodicTasks] })
export class PeriodicTasksModule {}
