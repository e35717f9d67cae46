import { Prices } from '@gangan/billing';
import { CallbackQuota } from '@gangan/callbacks';
import { deliveryEvents } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { AudienceModule } from '../audience/audience.module.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { MessagingConfig } from '../messaging.config.js';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ScheduleModule } from '../schedule/schedule.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { MessageTexts } from '../text/message-text.js';
import { TextModule } from '../text/text.module.js';
import { WindowsModule } from '../windows/windows.module.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveryTexts } from './delivery-texts.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { MessagePreparer } from './prepare-message.js';

const callbackQuota = {
  provide: CallbackQuota,
  inject: [Database, MessagingConfig],
  useFactory: (database: Database, { WAITING_CALLBACKS: max }: MessagingConfig) =>
    new CallbackQuota(database, max, deliveryEvents),
};

@Module({
  imports: [
    ...[AudienceModule, TemplatesModule, ScheduleModule, OutcomeModule, ProvidersModule, TextModule],
    ...[WindowsModule, InboxModule],
  ],
  providers: [
    ...[MessagesService, MessagesRepository, DeliveriesRepository, DeliveryTexts, Announcer],
    ...[MessagePreparer, MessageTexts, Prices, callbackQuota],
  ],
  exports: [MessagesService, MessagesRepository, MessagePreparer],
})
export class MessagesModule {}
