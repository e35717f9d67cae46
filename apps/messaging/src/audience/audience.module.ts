import { Prices } from '@gangan/billing';
import { Module } from '@nestjs/common';
import { DeliveryModule } from '../schedule/schedule.module.js';
import { MessageTexts } from '../text/message-text.js';
import { ExpansionAnnouncer } from './expansion-announcer.js';
import { ExpansionDesk } from './audience.runner.js';
import { ExpansionHandler } from './audience.handler.js';
import { ExpansionRepository } from './audience.repository.js';
import { ExpansionService } from './audience.service.js';
import { LeasesRepository } from './leases.repository.js';
import { SmartlistEstimates } from './smartlist-pricing.js';
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
