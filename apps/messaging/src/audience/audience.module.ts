import { Prices } from '@gangan/billing';
import { Module } from '@nestjs/common';
import { ScheduleModule } from '../schedule/schedule.module.js';
import { TextModule } from '../text/text.module.js';
import { WindowsModule } from '../windows/windows.module.js';
import { AudienceRepository } from './audience.repository.js';
import { AudienceRunner, AudienceService } from './audience.service.js';
import { HeldExpansions } from './held-expansions.js';
import { SmartlistPricing } from './smartlist-pricing.js';
import { SmartlistReader } from './smartlist-reader.js';

@Module({
  imports: [ScheduleModule, TextModule, WindowsModule],
  providers: [
    ...[AudienceRunner, AudienceService, AudienceRepository, HeldExpansions],
    ...[SmartlistPricing, SmartlistReader, Prices],
  ],
  exports: [AudienceRunner, SmartlistPricing, AudienceRepository, Prices],
})
export class AudienceModule {}
