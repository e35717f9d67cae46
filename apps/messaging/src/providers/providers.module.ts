import { Module } from '@nestjs/common';
import { TextModule } from '../text/text.module.js';
import { Providers } from './providers.js';
import { ProviderFactory } from './provider-factory.js';
import { Simulator } from './simulator.js';

@Module({
  imports: [TextModule],
  providers: [Providers, ProviderFactory, Simulator],
  exports: [Providers, Simulator],
})
export class ProvidersModule {}
