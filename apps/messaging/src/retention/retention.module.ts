import { Module } from '@nestjs/common';
import { Pruner } from './retention.service.js';
import { RetentionRepository } from './retention.repository.js';

@Module({ providers: [Pruner, RetentionRepository] })
export class RetentionModule {}
