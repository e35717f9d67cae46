import { CallbackAnnouncer } from '@gangan/callbacks';
import { TextSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { MessageTexts } from '../text/message-text.js';
import { Providers } from '../providers/providers.js';
import { SimulatedReports } from '../providers/simulator/simulated-reports.js';
import { Simulator } from '../providers/simulator/simulator.js';
import { Aftermath } from './aftermath.js';
import { Backlog } from './backlog.js';
import { ClaimsRepository } from './claims.repository.js';
import { Conclusions } from './conclusions.js';
import { Courier } from './courier.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { DeliveryHandler } from './delivery.handler.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryService } from './delivery.service.js';
import { DoNotDisturb } from './do-not-disturb.js';
import { Letters } from './letters.js';
import { OtpLetters } from './otp-letters.js';
import { OwnReferences } from './own-references.js';
import { Patience } from './patience.js';
import { Prospects } from './prospects.js';
import { Reports } from './reports.js';
import { ReportsRepository } from './reports.repository.js';
import { Settling } from './settling.js';
import { Sweeper } from './sweeper.js';
import { Throttle } from './throttle.js';
import { Verdicts } from './verdicts.js';

@Module({
  controllers: [DeliveryHandler],
  providers: [
    ...[DeliveryAnnouncer, Backlog],
    ...[
      DeliveryService,
      ClaimsRepository,
      Courier,
      DoNotDisturb,
      Letters,
      OtpLetters,
      MessageTexts,
      TextSealer,
      Throttle,
      Patience,
      Prospects,
      Settling,
    ],
    ...[Verdicts, Conclusions, Aftermath, CallbackAnnouncer, DeliveryMetrics],
    ...[Reports, ReportsRepository, OwnReferences, Sweeper],
    ...[Providers, Simulator, SimulatedReports],
  ],
  exports: [DeliveryAnnouncer, Providers],
})
export class DeliveryModule {}
