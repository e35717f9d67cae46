import { Prices } from '@gangan/billing';
import { OrganisationModes } from '@gangan/database';
import { LeasesModule } from '@gangan/leases';
import { Module } from '@nestjs/common';
import { LookupCharges } from './charges/lookup-charges.js';
import { FindingRepository } from './live/finding.repository.js';
import { LiveLookups } from './live/live-lookups.js';
import { LookupConfig } from './lookup.config.js';
import { LookupHandler } from './lookup.handler.js';
import { LookupMetrics } from './lookup.metrics.js';
import { LookupRepository } from './lookup.repository.js';
import { LookupService } from './lookup.service.js';
import { NumberingPlan } from './numbering-plan.js';
import { CircuitBreakerProvider } from './providers/circuit-breaker-provider.js';
import { openProvider } from './providers/http-provider.js';
import { ConfiguredProvider } from './providers/live-provider.js';
import { FindingRetention } from './retention/finding-retention.js';

@Module({
  imports: [LeasesModule.forApp('lookup')],
  controllers: [LookupHandler],
  providers: [
    ...[LookupService, LookupRepository, LookupMetrics, NumberingPlan, OrganisationModes],
    ...[LookupCharges, Prices, LiveLookups, FindingRepository, FindingRetention],
    ...[
      CircuitBreakerProvider,
      { provide: ConfiguredProvider, useFactory: openProvider, inject: [LookupConfig] },
    ],
  ],
})
export class LookupModule {}
