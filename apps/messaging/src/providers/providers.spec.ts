import type { Database } from '@gangan/database';
import { ProviderRegistry } from '@gangan/providers';
import type { AppLogger, RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it, jest } from '@jest/globals';
import type { DataSealer } from '@gangan/sealing';
import type { MessageProvider } from './message-provider.js';
import { Providers } from './providers.js';
import type { Simulator } from './simulator.js';

describe('the providers of a worker', () => {
  it('are read again if the connection breaks at startup', async () => {
    const run = jest
      .fn<() => Promise<unknown[]>>()
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'))
      .mockResolvedValue([]);
    const database = { run } as unknown as Database;
    const registry = new ProviderRegistry<MessageProvider>({
      domain: 'message',
      database,
      sealer: {} as DataSealer,
      logger: {} as AppLogger,
      maxTimeoutMs: 1_000,
      build: () => ({}) as MessageProvider,
    });
    const providers = new Providers({} as Simulator, {} as RuntimeConfig, database, registry);
    await providers.onModuleInit();
    expect(run).toHaveBeenCalledTimes(5);
  });
});
