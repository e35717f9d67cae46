import { CallbackQuota } from '@gangan/callbacks';
import type { CallbackType } from '@gangan/contracts';
import { Database } from '@gangan/database';
import type { FactoryProvider } from '@nestjs/common';
import { MessagingConfig } from './messaging.config.js';

/** @param types of the callbacks that the requests of a module may cause */
export const callbackQuotaOf = (types: readonly CallbackType[]): FactoryProvider<CallbackQuota> => ({
  provide: CallbackQuota,
  inject: [Database, MessagingConfig],
  useFactory: (database: Database, { WAITING_CALLBACKS: max }: MessagingConfig) =>
    new CallbackQuota(database, max, types),
});
