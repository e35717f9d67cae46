import type { Database } from '@gangan/database';
import type { RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it, jest } from '@jest/globals';
import type { ProviderFactory } from './provider-factory.js';
import { Providers } from './providers.js';
import type { Simulator } from './simulator.js';

describe('the providers of a worker', () => {
  it('are read again if the connection breaks at startup', async () => {
    const run = jest
      .fn<() => Promise<unknown[]>>()
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'))
      .mockResolvedValue([]);
    const factory = { update: () => new Map() } as unknown as ProviderFactory;
    const providers = new Providers(
      {} as Simulator,
      {} as RuntimeConfig,
      { run } as unknown as Database,
      factory,
    );
    await providers.onModuleInit();
    expect(run).toHaveBeenCalledTimes(5);
  });
});
