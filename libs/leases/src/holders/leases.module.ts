import { type DynamicModule, Module } from '@nestjs/common';
import { Heartbeat } from './heartbeat.js';
import { LeaseHolder } from './lease-holder.js';
import { LeaseTakeover } from './lease-takeover.js';

/** For a worker that claims rows: makes its process a holder of leases, and takes over those of dead ones. */
@Module({})
export class LeasesModule {
  static forApp(app: string): DynamicModule {
    return {
      module: LeasesModule,
      global: true,
      providers: [{ provide: LeaseHolder, useFactory: () => new LeaseHolder(app) }, Heartbeat, LeaseTakeover],
      exports: [LeaseHolder],
    };
  }
}
