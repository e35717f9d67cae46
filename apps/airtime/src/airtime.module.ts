import { CallbacksModule } from '@gangan/callbacks';
import { OrganisationModes } from '@gangan/database';
import { LeasesModule } from '@gangan/leases';
import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { AirtimeConfig } from './airtime.config.js';
import { AirtimeHandler } from './airtime.handler.js';
import { AirtimeMetrics } from './airtime.metrics.js';
import { AirtimeRepository } from './airtime.repository.js';
import { airtimeRetention } from './airtime.retention.js';
import { AirtimeService } from './airtime.service.js';
import { ProductSync } from './products/product-sync.js';
import { ProductsRepository } from './products/products.repository.js';
import { ProductsService } from './products/products.service.js';
import { AirtimeHealth } from './providers/airtime-health.js';
import { AirtimeProviders } from './providers/airtime-providers.js';
import { airtimeRegistry } from './providers/airtime-registry.js';
import { Simulator } from './providers/simulator.js';
import { PurchaseFinisher } from './settlement/finish-purchases.js';
import { PurchaseOutcomes } from './settlement/outcomes.js';
import { SettlementSchedule } from './settlement/settlement-schedule.js';
import { SettlementRepository } from './settlement/settlement.repository.js';
import { SettlementService } from './settlement/settlement.service.js';
import { PurchaseSubmitter } from './settlement/submitter.js';
import { Sweeper } from './settlement/sweeper.js';

const dataSealer = {
  provide: DataSealer,
  inject: [AirtimeConfig],
  useFactory: ({ DATA_KEYS }: AirtimeConfig) => new DataSealer(DATA_KEYS),
};

@Module({
  imports: [LeasesModule.forApp('airtime'), CallbacksModule.forApp(AirtimeConfig)],
  controllers: [AirtimeHandler],
  providers: [
    ...[AirtimeService, AirtimeRepository, AirtimeMetrics, OrganisationModes],
    dataSealer,
    ...[ProductsService, ProductsRepository, ProductSync],
    ...[AirtimeProviders, AirtimeHealth, airtimeRegistry, Simulator, airtimeRetention],
    ...[SettlementService, SettlementRepository, SettlementSchedule, Sweeper],
    ...[PurchaseSubmitter, PurchaseOutcomes, PurchaseFinisher],
  ],
})
export class AirtimeModule {}
