import { Module } from '@nestjs/common';
import { AirtimeHealth } from './airtime-health.js';
import { AirtimeProviders } from './airtime-providers.js';
import { airtimeRegistry } from './airtime-registry.js';
import { Simulator } from './simulator.js';

@Module({
  providers: [AirtimeProviders, airtimeRegistry, AirtimeHealth, Simulator],
  exports: [AirtimeProviders],
})
export class ProvidersModule {}
