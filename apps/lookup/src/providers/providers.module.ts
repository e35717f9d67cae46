import { Module } from '@nestjs/common';
import { LookupProviders, lookupRegistry } from './lookup-providers.js';
import { ProviderCalls } from './provider-calls.js';
import { ProviderCounts } from './provider-counts.js';

@Module({
  providers: [LookupProviders, lookupRegistry, ProviderCalls, ProviderCounts],
  exports: [LookupProviders, ProviderCalls],
})
export class ProvidersModule {}
