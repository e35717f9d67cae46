import { Module } from '@nestjs/common';
import { AudienceModule } from '../audience/audience.module.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ScheduleModule } from '../schedule/schedule.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { TextModule } from '../text/text.module.js';
import { WindowsModule } from '../windows/windows.module.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryTexts } from './delivery-texts.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { MessagePreparer } from './prepare-message.js';

@Module({
  imports: [
    ...[AudienceModule, TemplatesModule, ScheduleModule, OutcomeModule, ProvidersModule, TextModule],
    ...[WindowsModule, InboxModule],
  ],
  providers: [
    ...[MessagesService, MessagesRepository, DeliveriesRepository, DeliveryTexts],
    ...[MessagePreparer],
  ],
  exports: [MessagesService, MessagesRepository, MessagePreparer],
})
export class MessagesModule {}
