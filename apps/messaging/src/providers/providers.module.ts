import { Module } from '@nestjs/common';
import { OutboxModule } from '../outbox/outbox.module.js';
import { TextModule } from '../text/text.module.js';
import { ProviderHealth } from './health/provider-health.js';
import { ProviderMetrics } from './health/provider.metrics.js';
import { messageRegistry } from './message-registry.js';
import { Providers } from './providers.js';
import { Simulator } from './simulator.js';

@Module({
  imports: [TextModule, OutboxModule],
  providers: [Providers, messageRegistry, ProviderHealth, ProviderMetrics, Simulator],
  exports: [Providers, ProviderHealth, Simulator],
})
export class ProvidersModule {}
