import { Prices } from '@gangan/billing';
import { Module } from '@nestjs/common';
import { DeliveryModule } from './delivery/delivery.module.js';
import { ExpansionModule } from './expansion/expansion.module.js';
import { LinksModule } from './links/links.module.js';
import { MessageTexts } from './text/message-text.js';
import { MessagingHandler } from './messaging.handler.js';
import { MessagingRepository } from './messaging.repository.js';
import { MessagingService } from './messaging.service.js';
import { DeliveriesRepository } from './reading/deliveries.repository.js';
import { RetentionModule } from './retention/retention.module.js';
import { Drafting } from './sending/drafting.js';
import { RulesOfOrganisations } from './sending/sending-rules.js';
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
