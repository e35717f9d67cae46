import { CallbacksModule } from '@gangan/callbacks';
import { LeasesModule } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { AudienceModule } from './audience/audience.module.js';
import { ChangesModule } from './changes/changes.module.js';
import { EstimatesModule } from './estimates/estimates.module.js';
import { InboundModule } from './inbound/inbound.module.js';
import { InboxModule } from './inbox/inbox.module.js';
import { KeywordsModule } from './keywords/keywords.module.js';
import { LinksRepository } from './links/links.repository.js';
import { LinksService } from './links/links.service.js';
import { MessagesModule } from './messages/messages.module.js';
import { MessagingConfig } from './messaging.config.js';
import { MessagingHandler } from './messaging.handler.js';
import { messagingRetention } from './messaging.retention.js';
import { OptOutsModule } from './opt-outs/opt-outs.module.js';
import { ScheduleModule } from './schedule/schedule.module.js';
import { SimulatorModule } from './simulator/simulator.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { TextModule } from './text/text.module.js';

@Module({
  imports: [
    LeasesModule.forApp('messaging'),
    CallbacksModule.forApp(MessagingConfig),
    ...[MessagesModule, TemplatesModule, AudienceModule, ScheduleModule, InboundModule, TextModule],
    ...[ChangesModule, EstimatesModule, OptOutsModule, InboxModule, KeywordsModule, SimulatorModule],
  ],
  providers: [LinksService, LinksRepository, messagingRetention],
  controllers: [MessagingHandler],
})
export class MessagingModule {}
