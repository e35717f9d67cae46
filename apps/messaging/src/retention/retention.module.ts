import { Module } from '@nestjs/common';
import { RetentionService } from './retention.service.js';
import { RetentionRepository } from './retention.repository.js';

@Module({ providers: [RetentionService, RetentionRepository] })
export class RetentionModule {}
