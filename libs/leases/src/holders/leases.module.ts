import { Database } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LeaseHolder } from './lease-holder.js';
import { LeaseTakeover } from './lease-takeover.js';
import { LeasedTables } from './leased-tables.js';

/** For a worker that claims rows: registers its process as a holder of leases, and takes over those of dead ones. */
@Module({})
export class LeasesModule {
  static forApp(app: string): DynamicModule {
    const holder = {
      provide: LeaseHolder,
      inject: [Database, AppLogger],
      useFactory: (database: Database, logger: AppLogger) => new LeaseHolder(app, database, logger),
    };
    return {
      module: LeasesModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [holder, LeasedTables, LeaseTakeover],
      exports: [LeaseHolder],
    };
  }
}
