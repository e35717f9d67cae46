import { Module } from '@nestjs/common';
import { OptOutsRepository } from './opt-outs.repository.js';
import { OptOutsService } from './opt-outs.service.js';

@Module({
  providers: [OptOutsService, OptOutsRepository],
  exports: [OptOutsService],
})
export class OptOutsModule {}
