import { DataSealer } from '@gangan/sealing';
import type { FactoryProvider, Type } from '@nestjs/common';
import { defineConfig } from './define-config.js';
import { bool, dataKeys, sealingKeys, secret } from './validators.js';

/** What the gateway stored with the key of version 0.2, and handed to messaging through the database, can be opened with it. */
export const earlierQueueKey = {
  QUEUE_KEY: secret(
    sealingKeys(2)({
      default: undefined,
      desc: 'The key of version 0.2, for two days after the upgrade: it opens what that version stored',
    }),
  ),
};

/** The keys of an app that stores something sealed. */
export const dataKeyVariables = {
  DATA_KEYS: secret(
    dataKeys({
      desc: 'The keys of this app for what it stores encrypted',
      example: 'the output of: pnpm admin secrets keys --app <app>',
    }),
  ),
};

export class DataKeysConfig extends defineConfig(dataKeyVariables) {}

export const dataSealerOf = (
  config: Type<Pick<DataKeysConfig, 'DATA_KEYS'>>,
): FactoryProvider<DataSealer> => ({
  provide: DataSealer,
  inject: [config],
  useFactory: ({ DATA_KEYS }: DataKeysConfig) => new DataSealer(DATA_KEYS),
});

/** The variables of what is stored sealed. A config declares those that its app needs. */
export const dataVariables = {
  ...dataKeyVariables,
  SEAL_MESSAGES: bool({
    default: false,
    desc: 'Whether the texts of new messages are stored encrypted; those that are stored already stay as they are',
  }),
};
