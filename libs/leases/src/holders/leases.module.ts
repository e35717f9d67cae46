import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Announcer } from '../announcer.js';
import { DueSweeps } from '../due-sweeps.js';
import { Heartbeat } from './heartbeat.js';
import { LeaseHolder } from './lease-holder.js';
import { LeaseTakeover } from './lease-takeover.js';

/** For a worker that claims rows: makes its process a holder of leases, takes over those of dead ones, and runs its sweeps. */
@Module({})
export class LeasesModule {
  static forApp(app: string): DynamicModule {
    return {
      module: LeasesModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        { provide: LeaseHolder, useFactory: () => new LeaseHolder(app) },
        Heartbeat,
        LeaseTakeover,
        DueSweeps,
        Announcer,
      ],
      exports: [LeaseHolder, Announcer],
    };
  }
}
