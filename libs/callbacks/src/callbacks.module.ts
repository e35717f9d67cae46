import { Database } from '@gangan/database';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CallbackAnnouncer } from './callback-announcer.js';
import { CallbackQuota } from './callback-quota.js';

/** For a worker that stores callbacks. */
@Module({})
export class CallbacksModule {
  static forApp(config: Type<{ readonly WAITING_CALLBACKS: number }>): DynamicModule {
    const callbackQuota = {
      provide: CallbackQuota,
      inject: [Database, config],
      useFactory: (database: Database, { WAITING_CALLBACKS: max }: InstanceType<typeof config>) =>
        new CallbackQuota(database, max),
    };
    return {
      module: CallbacksModule,
      global: true,
      providers: [CallbackAnnouncer, callbackQuota],
      exports: [CallbackAnnouncer, CallbackQuota],
    };
  }
}
