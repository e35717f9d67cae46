import { CallbackAnnouncer } from '@gangan/callbacks';
import { OrganisationModes } from '@gangan/database';
import { Module } from '@nestjs/common';
import { AirtimeHandler } from './airtime.handler.js';
import { AirtimeRepository } from './airtime.repository.js';
import { AirtimeService } from './airtime.service.js';
import { DueAnnouncer } from './due-announcer.js';
import { Providers } from './providers/providers.js';
import { Simulator } from './providers/simulator/simulator.js';
import { SimulatorPruner } from './providers/simulator/simulator-pruner.js';
import { Conclusions } from './settlement/conclusions.js';
import { Patience } from './settlement/patience.js';
import { Settlement } from './settlement/settlement.js';
import { SettlementMetrics } from './settlement/settlement-metrics.js';
import { SettlementRepository } from './settlement/settlement.repository.js';
import { Sweeper } from './settlement/sweeper.js';

@Module({
  controllers: [AirtimeHandler],
  providers: [
    ...[AirtimeService, AirtimeRepository, OrganisationModes, DueAnnouncer, CallbackAnnouncer],
    ...[Providers, Simulator, SimulatorPruner],
    ...[Settlement, SettlementRepository, Conclusions, Patience, SettlementMetrics, Sweeper],
  ],
})
export class AirtimeModule {}
