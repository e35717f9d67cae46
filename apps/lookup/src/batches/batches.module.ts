import { Module } from '@nestjs/common';
import { BatchJob, BatchRunner } from './batch-runner.js';
import { BatchesRepository } from './batches.repository.js';
import { BatchesService } from './batches.service.js';

@Module({
  providers: [BatchesService, BatchesRepository, BatchJob, BatchRunner],
  exports: [BatchesService, BatchRunner],
})
export class BatchesModule {}
