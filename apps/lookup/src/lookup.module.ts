import { Prices } from '@gangan/billing';
import { OrganisationModes } from '@gangan/database';
import { LeasesModule } from '@gangan/leases';
import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { BatchJob, BatchRunner } from './batches/batch-runner.js';
import { BatchesRepository } from './batches/batches.repository.js';
import { BatchesService } from './batches/batches.service.js';
import { LookupCharges } from './charges/lookup-charges.js';
import { FindingRepository } from './live/finding.repository.js';
import { LiveLookups } from './live/live-lookups.js';
import { LookupConfig } from './lookup.config.js';
import { LookupHandler } from './lookup.handler.js';
import { LookupMetrics } from './lookup.metrics.js';
import { LookupRepository } from './lookup.repository.js';
import { lookupRetention } from './lookup.retention.js';
import { LookupService } from './lookup.service.js';
import { NumberingPlan } from './numbering-plan.js';
import { LookupProviders, lookupRegistry } from './providers/lookup-providers.js';
import { ProviderCalls } from './providers/provider-calls.js';
import { ProviderCounts } from './providers/provider-counts.js';

@Module({
  imports: [LeasesModule.forApp('lookup')],
  controllers: [LookupHandler],
  providers: [
    ...[LookupService, LookupRepository, LookupMetrics, NumberingPlan, OrganisationModes],
    ...[LookupCharges, Prices, LiveLookups, FindingRepository, lookupRetention],
    ...[BatchesService, BatchesRepository, BatchJob, BatchRunner],
    ...[lookupRegistry, LookupProviders, ProviderCalls, ProviderCounts],
    {
      provide: DataSealer,
      inject: [LookupConfig],
      useFactory: ({ DATA_KEYS }: LookupConfig) => new DataSealer(DATA_KEYS),
    },
  ],
})
export class LookupModule {}
