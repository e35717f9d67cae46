import { CallbackAnnouncer } from '@gangan/callbacks';
import { RuntimeConfig } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { MessageTexts } from '../text/message-text.js';
import { Providers } from '../providers/providers.js';
import { SimulatedReports } from '../reports/simulated-reports.js';
import { Simulator } from '../providers/simulator.js';
import { Aftermath } from '../outcome/effects.js';
import { Backlog } from './backlog.js';
import { ClaimsRepository } from '../submit/claims.repository.js';
import { Conclusions } from '../outcome/apply.js';
import { Courier } from '../submit/delivery-submitter.js';
import { DeliveryAnnouncer } from './delivery-announcer.js';
import { DeliveryHandler } from './schedule.handler.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { DeliveryService } from './schedule.service.js';
import { DoNotDisturb } from '../submit/do-not-disturb.js';
import { Letters } from '../submit/message-bodies.js';
import { OtpLetters } from '../submit/otp-bodies.js';
import { OwnReferences } from '../reports/own-references.js';
import { Patience } from '../outcome/retry-policy.js';
import { Prospects } from '../submit/routing.js';
import { Reports } from '../reports/reports.service.js';
import { ReportsRepository } from '../reports/reports.repository.js';
import { Settling } from '../outcome/settling.js';
import { Sweeper } from './sweeper.js';
import { Throttle } from './provider-limits.js';
import { Verdicts } from '../outcome/transition.js';

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
      {
        provide: TextSealer,
        inject: [RuntimeConfig],
        useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new TextSealer(QUEUE_KEY),
      },
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
