import { receptionEvents } from '@gangan/contracts';
import { Module } from '@nestjs/common';
import { callbackQuotaOf } from '../callback-quota.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { SimulatorQuota } from './simulator-quota.js';
import { SimulatorService } from './simulator.service.js';

@Module({
  imports: [InboxModule, OutboxModule],
  providers: [SimulatorService, SimulatorQuota, callbackQuotaOf(receptionEvents)],
  exports: [SimulatorService],
})
export class SimulatorModule {}
