import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Chores } from './chores.js';

@Module({ imports: [DiscoveryModule], providers: [Chores] })
export class ChoresModule {}
