import { Prices } from '@gangan/billing';
import { Module } from '@nestjs/common';
import { DeliveryModule } from './schedule/schedule.module.js';
import { ExpansionModule } from './audience/audience.module.js';
import { LinksModule } from './links/links.module.js';
import { MessageTexts } from './text/message-text.js';
import { MessagingHandler } from './messages/messages.handler.js';
import { MessagingRepository } from './messages/messages.repository.js';
import { MessagingService } from './messages/messages.service.js';
import { DeliveriesRepository } from './messages/deliveries.repository.js';
import { RetentionModule } from './retention/retention.module.js';
import { Drafting } from './messages/message-orders.js';
import { RulesOfOrganisations } from './messages/sending-rules.js';
import { TemplatesModule } from './templates/templates.module.js';

@Module({
  imports: [DeliveryModule, ExpansionModule, TemplatesModule, LinksModule, RetentionModule],
  controllers: [MessagingHandler],
  providers: [
    ...[MessagingService, MessagingRepository, DeliveriesRepository],
    ...[Drafting, RulesOfOrganisations, MessageTexts, Prices],
  ],
})
export class MessagingModule {}
