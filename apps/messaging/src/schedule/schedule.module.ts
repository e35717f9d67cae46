import { Module } from '@nestjs/common';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { SubmitModule } from '../submit/submit.module.js';
import { TextModule } from '../text/text.module.js';
import { SendingRulesCache } from '../sending-rules.js';
import { Backlog } from './backlog.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { DueRepository } from './due.repository.js';
import { HeldDeliveries } from './held-deliveries.js';
import { InsertClaims } from './claim-on-insert/insert-claims.js';
import { ProviderLimits } from './provider-limits.js';
import { PermittedSubmitter } from './permitted-submitter.js';
import { QuietHoursHold } from './quiet-hours.js';
import { ScheduleService } from './schedule.service.js';
import { SuspectDeliveries } from './suspect-deliveries.js';

@Module({
  imports: [SubmitModule, OutcomeModule, ProvidersModule, TextModule],
  providers: [
    ...[ScheduleService, DueRepository, HeldDeliveries, QuietHoursHold, ProviderLimits, PermittedSubmitter],
    ...[SuspectDeliveries, DeliveryAnnouncer, Backlog, InsertClaims],
    SendingRulesCache,
  ],
  exports: [ScheduleService, DeliveryAnnouncer, InsertClaims, SendingRulesCache],
})
export class ScheduleModule {}
