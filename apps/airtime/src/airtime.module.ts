import { CallbackAnnouncer, CallbackQuota } from '@gangan/callbacks';
import { Database, OrganisationModes } from '@gangan/database';
import { Announcer, LeasesModule } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { AirtimeConfig } from './airtime.config.js';
import { AirtimeHandler } from './airtime.handler.js';
import { AirtimeMetrics } from './airtime.metrics.js';
import { AirtimeRepository } from './airtime.repository.js';
import { AirtimeService } from './airtime.service.js';
import { AirtimeProviders } from './providers/airtime-providers.js';
import { Simulator } from './providers/simulator.js';
import { SimulatorRetention } from './retention/simulator-retention.js';
import { PurchaseFinisher } from './settlement/finish-purchases.js';
import { SettlementSchedule } from './settlement/settlement-schedule.js';
import { SettlementRepository } from './settlement/settlement.repository.js';
import { SettlementService } from './settlement/settlement.service.js';
import { Sweeper } from './settlement/sweeper.js';

const callbackQuota = {
  provide: CallbackQuota,
  inject: [Database, AirtimeConfig],
  useFactory: (database: Database, { WAITING_CALLBACKS: max }: AirtimeConfig) =>
    new CallbackQuota(database, max),
};

@Module({
  imports: [LeasesModule.forApp('airtime')],
  controllers: [AirtimeHandler],
  providers: [
    ...[AirtimeService, AirtimeRepository, AirtimeMetrics, OrganisationModes, Announcer, CallbackAnnouncer],
    callbackQuota,
    ...[AirtimeProviders, Simulator, SimulatorRetention],
    ...[SettlementService, SettlementRepository, PurchaseFinisher, SettlementSchedule, Sweeper],
  ],
})
export class AirtimeModule {}
