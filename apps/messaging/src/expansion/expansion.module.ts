import { Prices } from '@gangan/billing';
import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MessageTexts } from '../text/message-text.js';
import { ExpansionAnnouncer } from './expansion-announcer.js';
import { ExpansionDesk } from './expansion-desk.js';
import { ExpansionHandler } from './expansion.handler.js';
import { ExpansionRepository } from './expansion.repository.js';
import { ExpansionService } from './expansion.service.js';
import { LeasesRepository } from './leases.repository.js';
import { SmartlistEstimates } from './smartlist-estimates.js';
import { SmartlistReader } from './smartlist-reader.js';

@Module({
  imports: [DeliveryModule],
  controllers: [ExpansionHandler],
  providers: [
    ...[SmartlistEstimates, SmartlistReader, MessageTexts, Prices],
    ...[ExpansionDesk, ExpansionService, ExpansionRepository, LeasesRepository, ExpansionAnnouncer],
  ],
  exports: [SmartlistEstimates, ExpansionRepository, ExpansionAnnouncer],
})
export class ExpansionModule {}
