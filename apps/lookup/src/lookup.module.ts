import { Prices } from '@gangan/billing';
import { OrganisationModes } from '@gangan/database';
import { Module } from '@nestjs/common';
import { FindingPruner } from './live/finding-pruner.js';
import { FindingRepository } from './live/finding.repository.js';
import { GuardedProvider } from './live/guarded-provider.js';
import { LiveLookups } from './live/live-lookups.js';
import { LiveMetrics } from './live/live-metrics.js';
import { ConfiguredProvider } from './live/live-provider.js';
import { openProvider } from './live/open-provider.js';
import { LookupCharges } from './lookup-charges.js';
import { LookupReservations } from './lookup-reservations.js';
import { LookupConfig } from './lookup.config.js';
import { LookupHandler } from './lookup.handler.js';
import { LookupRepository } from './lookup.repository.js';
import { LookupService } from './lookup.service.js';
import { NumberingPlan } from './numbering-plan.js';
import { ReservationSweeper } from './reservation-sweeper.js';

@Module({
  controllers: [LookupHandler],
  providers: [
    ...[LookupService, LookupRepository, NumberingPlan, OrganisationModes, Prices],
    ...[LookupCharges, LookupReservations, ReservationSweeper],
    { provide: ConfiguredProvider, useFactory: openProvider, inject: [LookupConfig] },
    ...[GuardedProvider, LiveLookups, LiveMetrics, FindingRepository, FindingPruner],
  ],
})
export class LookupModule {}
