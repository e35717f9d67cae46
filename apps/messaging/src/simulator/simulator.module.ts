import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { SimulatorQuota } from './simulator-quota.js';
import { SimulatorService } from './simulator.service.js';

@Module({
  imports: [InboxModule, OutboxModule],
  providers: [SimulatorService, SimulatorQuota],
  exports: [SimulatorService],
})
export class SimulatorModule {}
