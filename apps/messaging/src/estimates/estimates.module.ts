import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module.js';
import { SubmitModule } from '../submit/submit.module.js';
import { EstimatesService } from './estimates.service.js';

@Module({
  imports: [MessagesModule, SubmitModule],
  providers: [EstimatesService],
  exports: [EstimatesService],
})
export class EstimatesModule {}
