import { allContracts, receiveInbound } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { InboundContents } from '@gangan/providers';
import { AppKeys, deriveQueueKeys, keysOf, MasterKeys, QueueClient, Queues } from '@gangan/queue';
import { AppLogger, Registry, RuntimeConfig } from '@gangan/runtime';
import { deriveDataKeys, InboundSealer, masterSealer, NamedKeys, newSealingKey } from '@gangan/sealing';
import {
  configFor,
  createTestModule,
  type InjectedValue,
  type TestingModule,
  valueFor,
} from '@gangan/testing';
import { EMPTY } from 'rxjs';
import { MessagingConfig } from '../../src/messaging.config.js';
import { MessagingModule } from '../../src/messaging.module.js';

const [dataKey, queueKey, earlierQueueKey] = [newSealingKey(), newSealingKey(), newSealingKey()];
const queueKeys = AppKeys.parse(deriveQueueKeys([queueKey], 'messaging', allContracts)) as AppKeys;

/** All workers of a test have the same keys. */
export const sealer = masterSealer([dataKey]);

/** Seals as workers do what providers send. */
export const requestContents = new InboundContents(sealer);

/** Seals as version 0.2 did what providers sent. */
export const earlierSealer = new InboundSealer([earlierQueueKey]);

/** Seals as the gateway does while no worker answers. */
export const gatewaySealer = new InboundSealer(keysOf(new MasterKeys([queueKey]), 'gateway', receiveInbound));

/** As the callback worker does. */
export const openCallback = (
  { id, organisationId }: { readonly id: string; readonly organisationId: string },
  sealed: Uint8Array | null,
): string => sealer.open(sealed ?? Buffer.alloc(0), { column: 'callback.sealed_body', organisationId, id });

export const silent = {
  ...{ debug: () => undefined, info: () => undefined, warn: () => undefined },
  ...{ error: () => undefined, fatal: () => undefined },
} satisfies AppLogger;

export interface ModuleOptions {
  readonly config?: Partial<MessagingConfig>;
  readonly runtime?: Partial<RuntimeConfig>;
  /** Replacements for providers. */
  readonly values?: readonly InjectedValue[];
}

/** The providers of one messaging worker without its queue: nothing runs until a test calls it. */
export const createMessaging = (
  database: Database,
  { config, runtime, values = [] }: ModuleOptions = {},
): Promise<TestingModule> =>
  createTestModule(MessagingModule, [
    valueFor(Database, database),
    valueFor(AppLogger, silent),
    valueFor(Registry, new Registry()),
    valueFor(QueueClient, { emit: () => EMPTY }),
    valueFor(Queues, {}),
    configFor(RuntimeConfig, {
      NODE_ENV: 'test',
      PUBLIC_URL: 'https://sms.example',
      QUEUE_KEYS: queueKeys,
      ...runtime,
    }),
    configFor(MessagingConfig, {
      DATA_KEYS: NamedKeys.parse(deriveDataKeys([dataKey], 'messaging')) as NamedKeys,
      QUEUE_KEY: [earlierQueueKey],
      WAITING_CALLBACKS: 0,
      ...config,
    }),
    ...values,
  ]);
