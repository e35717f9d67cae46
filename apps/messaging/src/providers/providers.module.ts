import { Module } from '@nestjs/common';
import { TextModule } from '../text/text.module.js';
import { ProviderHealth } from './health/provider-health.js';
import { ProviderMetrics } from './health/provider.metrics.js';
import { Providers } from './providers.js';
import { ProviderFactory } from './provider-factory.js';
import { Simulator } from './simulator.js';

@Module({
  imports: [TextModule],
  providers: [Providers, ProviderFactory, ProviderHealth, ProviderMetrics, Simulator],
  exports: [Providers, ProviderHealth, Simulator],
})
export class ProvidersModule {}
