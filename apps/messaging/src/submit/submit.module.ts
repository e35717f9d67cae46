import { DataSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { OutcomeModule } from '../outcome/outcome.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { TextModule } from '../text/text.module.js';
import { WindowsModule } from '../windows/windows.module.js';
import { ClaimsRepository } from './claims.repository.js';
import { ClosedWindows } from './closed-windows.js';
import { DeliverySubmitter } from './delivery-submitter.js';
import { BlockedRecipients } from './blocked-recipients.js';
import { MessageBodies } from './message-bodies.js';
import { NewClaimsRepository } from './new-claims.repository.js';
import { ProviderCalls } from './provider-calls.js';
import { ProviderPages } from './provider-pages.js';
import { Router } from './routing.js';
import { SealedBodies } from './sealed-bodies.js';

@Module({
  imports: [OutcomeModule, ReportsModule, ProvidersModule, TextModule, WindowsModule],
  providers: [
    ...[DeliverySubmitter, ClaimsRepository, NewClaimsRepository, Router, ProviderCalls],
    ...[BlockedRecipients, ClosedWindows, MessageBodies, ProviderPages],
    {
      provide: SealedBodies,
      inject: [DataSealer, MessagingConfig],
      useFactory: (sealer: DataSealer, { QUEUE_KEY }: MessagingConfig) => new SealedBodies(sealer, QUEUE_KEY),
    },
  ],
  exports: [
    DeliverySubmitter,
    ClaimsRepository,
    NewClaimsRepository,
    Router,
    BlockedRecipients,
    ProviderPages,
  ],
})
export class SubmitModule {}
