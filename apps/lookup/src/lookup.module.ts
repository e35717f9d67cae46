import { OrganisationModes } from '@gangan/database';
import { LeasesModule } from '@gangan/leases';
import { dataSealerOf } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { Global, Module } from '@nestjs/common';
import { BatchesModule } from './batches/batches.module.js';
import { ChargesModule } from './charges/charges.module.js';
import { LiveModule } from './live/live.module.js';
import { LookupConfig } from './lookup.config.js';
import { LookupHandler } from './lookup.handler.js';
import { LookupMetrics } from './lookup.metrics.js';
import { LookupRepository } from './lookup.repository.js';
import { lookupRetention } from './lookup.retention.js';
import { LookupService } from './lookup.service.js';
import { NumberingPlan } from './numbering-plan.js';
import { ProvidersModule } from './providers/providers.module.js';

/** Global: the modules of the folders use the providers of the files beside it. */
@Global()
@Module({
  imports: [LeasesModule.forApp('lookup'), BatchesModule, ChargesModule, LiveModule, ProvidersModule],
  controllers: [LookupHandler],
  providers: [
    ...[LookupService, LookupRepository, LookupMetrics, NumberingPlan, OrganisationModes],
    ...[dataSealerOf(LookupConfig), lookupRetention],
  ],
  exports: [LookupService, LookupMetrics, DataSealer],
})
export class LookupModule {}
