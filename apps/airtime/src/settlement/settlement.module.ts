import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { PurchaseFinisher } from './finish-purchases.js';
import { PurchaseOutcomes } from './outcomes.js';
import { SettlementSchedule } from './settlement-schedule.js';
import { SettlementRepository } from './settlement.repository.js';
import { SettlementService } from './settlement.service.js';
import { PurchaseSubmitter } from './submitter.js';
import { Sweeper } from './sweeper.js';

@Module({
  imports: [ProvidersModule],
  providers: [
    ...[SettlementService, SettlementRepository, SettlementSchedule, Sweeper],
    ...[PurchaseSubmitter, PurchaseOutcomes, PurchaseFinisher],
  ],
  exports: [SettlementService],
})
export class SettlementModule {}
