import { Module } from '@nestjs/common';
import { AudienceModule } from '../audience/audience.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ChangeJob, ChangeRunner } from './change-job.js';
import { ChangesRepository } from './changes.repository.js';
import { ChangesService } from './changes.service.js';

@Module({
  imports: [MessagesModule, AudienceModule, OutcomeModule],
  providers: [ChangesService, ChangesRepository, ChangeJob, ChangeRunner],
  exports: [ChangesService, ChangeRunner],
})
export class ChangesModule {}
