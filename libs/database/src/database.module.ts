import { type DynamicModule, Module } from '@nestjs/common';
import { Database } from './database.js';
import type { DatabaseSettings } from './pool.js';

@Module({})
export class DatabaseModule {
  static forRoot(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: Database, useFactory: () => new Database(settings) }],
      exports: [Database],
    };
  }
}
