import { Module } from '@nestjs/common';
import { Providers } from './providers.js';
import { Simulator } from './simulator.js';

@Module({ providers: [Providers, Simulator], exports: [Providers, Simulator] })
export class ProvidersModule {}
