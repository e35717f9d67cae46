import { RuntimeConfig } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { MessageTexts } from '../text/message-text.js';
import { ClaimsRepository } from './claims.repository.js';
import { DeliverySubmitter } from './delivery-submitter.js';
import { DoNotDisturb } from './do-not-disturb.js';
import { MessageBodies } from './message-bodies.js';
import { ProviderCalls } from './provider-calls.js';
import { Router } from './routing.js';

@Module({
  imports: [OutcomeModule, ReportsModule, ProvidersModule],
  providers: [
    ...[DeliverySubmitter, ClaimsRepository, Router, ProviderCalls],
    ...[DoNotDisturb, MessageBodies, MessageTexts],
    {
      provide: TextSealer,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEY }: RuntimeConfig) => new TextSealer(QUEUE_KEY),
    },
  ],
  exports: [DeliverySubmitter, Router],
})
export class SubmitModule {}
