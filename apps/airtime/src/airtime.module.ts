import { CallbacksModule } from '@gangan/callbacks';
import { OrganisationModes } from '@gangan/database';
import { LeasesModule } from '@gangan/leases';
import { dataSealerOf } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Global, Module } from '@nestjs/common';
import { AirtimeConfig } from './airtime.config.js';
import { AirtimeHandler } from './airtime.handler.js';
import { AirtimeMetrics } from './airtime.metrics.js';
import { AirtimeRepository } from './airtime.repository.js';
import { airtimeRetention } from './airtime.retention.js';
import { AirtimeService } from './airtime.service.js';
import { ProductsModule } from './products/products.module.js';
import { ProvidersModule } from './providers/providers.module.js';
import { SettlementModule } from './settlement/settlement.module.js';

/** Global: the modules of the folders use the providers of the files beside it. */
@Global()
@Module({
  imports: [
    ...[LeasesModule.forApp('airtime'), CallbacksModule.forApp(AirtimeConfig)],
    ...[ProductsModule, ProvidersModule, SettlementModule],
  ],
  controllers: [AirtimeHandler],
  providers: [
    ...[AirtimeService, AirtimeRepository, AirtimeMetrics, OrganisationModes],
    ...[dataSealerOf(AirtimeConfig), airtimeRetention],
  ],
  exports: [AirtimeMetrics, OrganisationModes, DataSealer],
})
export class AirtimeModule {}
