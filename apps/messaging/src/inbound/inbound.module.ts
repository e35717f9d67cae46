import { receiveInbound } from '@gangan/contracts';
import { InboundContents } from '@gangan/providers';
import { keysOf } from '@gangan/queue';
import { RuntimeConfig } from '@gangan/runtime';
import { DataSealer, InboundSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { InboxModule } from '../inbox/inbox.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { TextModule } from '../text/text.module.js';
import { InboundMetrics } from './inbound.metrics.js';
import { InboundProviders } from './inbound-providers.js';
import { InboundReceiver } from './inbound-receiver.js';
import { InboundRepository } from './inbound.repository.js';
import { InboundRunner } from './inbound.runner.js';
import { InboundService } from './inbound.service.js';
import { InboundVerifier } from './inbound-verifier.js';
import { ReceivedRepository } from './received.repository.js';
import { UnverifiedRequests } from './unverified-requests.js';

@Module({
  imports: [InboxModule, ReportsModule, TextModule],
  providers: [
    ...[InboundProviders, InboundRepository, InboundService, InboundRunner, InboundMetrics],
    ...[InboundVerifier, InboundReceiver, ReceivedRepository, UnverifiedRequests],
    {
      provide: InboundContents,
      inject: [DataSealer, RuntimeConfig, MessagingConfig],
      useFactory: (
        sealer: DataSealer,
        { QUEUE_KEYS }: RuntimeConfig,
        { QUEUE_KEY = [] }: MessagingConfig,
      ) => {
        const keys = [...keysOf(QUEUE_KEYS, 'gateway', receiveInbound), ...QUEUE_KEY];
        return new InboundContents(sealer, new InboundSealer(keys));
      },
    },
  ],
  exports: [InboundProviders, InboundReceiver],
})
export class InboundModule {}
