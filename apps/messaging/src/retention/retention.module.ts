import { Module } from '@nestjs/common';
import { Pruner } from './pruner.js';
import { RetentionRepository } from './retention.repository.js';

@Module({ providers: [Pruner, RetentionRepository] })
export class RetentionModule {}
