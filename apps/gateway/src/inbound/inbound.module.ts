import { receiveInbound } from '@gangan/contracts';
import { keysOf } from '@gangan/queue';
import { RuntimeConfig } from '@gangan/runtime';
import { InboundSealer } from '@gangan/sealing';
import { Module } from '@nestjs/common';
import { InboundController } from './inbound.controller.js';
import { InboundMetrics } from './inbound.metrics.js';
import { InboundProviders } from './inbound-providers.js';
import { InboundRepository } from './inbound.repository.js';
import { InboundService } from './inbound.service.js';

@Module({
  controllers: [InboundController],
  providers: [
    ...[InboundService, InboundProviders, InboundRepository, InboundMetrics],
    {
      provide: InboundSealer,
      inject: [RuntimeConfig],
      useFactory: ({ QUEUE_KEYS }: RuntimeConfig) =>
        new InboundSealer(keysOf(QUEUE_KEYS, 'gateway', receiveInbound)),
    },
  ],
})
export class InboundModule {}
