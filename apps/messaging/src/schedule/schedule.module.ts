import { Announcer } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { SubmitModule } from '../submit/submit.module.js';
import { Backlog } from './backlog.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { DueRepository } from './due.repository.js';
import { HeldDeliveries } from './held-deliveries.js';
import { ProviderLimits } from './provider-limits.js';
import { ScheduleService } from './schedule.service.js';

@Module({
  imports: [SubmitModule, OutcomeModule],
  providers: [
    ...[ScheduleService, DueRepository, HeldDeliveries, ProviderLimits],
    ...[DeliveryAnnouncer, Announcer, Backlog],
  ],
  exports: [ScheduleService, DeliveryAnnouncer],
})
export class ScheduleModule {}
