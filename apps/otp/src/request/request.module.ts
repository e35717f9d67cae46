import { Module } from '@nestjs/common';
import { SendsModule } from '../sends/sends.module.js';
import { RequestRepository } from './request.repository.js';
import { RequestService } from './request.service.js';

@Module({
  imports: [SendsModule],
  providers: [RequestService, RequestRepository],
  exports: [RequestService],
})
export class RequestModule {}
