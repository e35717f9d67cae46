import { Module } from '@nestjs/common';
import { AudienceModule } from './audience/audience.module.js';
import { LinksModule } from './links/links.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { MessagingHandler } from './messaging.handler.js';
import { RetentionModule } from './retention/retention.module.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { TemplatesModule } from './templates/templates.module.js';

@Module({
  imports: [MessagesModule, TemplatesModule, LinksModule, AudienceModule, ScheduleModule, RetentionModule],
  controllers: [MessagingHandler],
})
export class MessagingModule {}
