import type { Database } from '@gangan/database';
import type { RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it, jest } from '@jest/globals';
import { OtpRoutes } from './otp-routes.js';

describe('the routes of OTPs', () => {
  it('are read again if the connection breaks while the app starts', async () => {
    const run = jest
      .fn<() => Promise<unknown[]>>()
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'))
      .mockResolvedValue([]);
    await new OtpRoutes({ run } as unknown as Database, {} as RuntimeConfig).onModuleInit();
    expect(run).toHaveBeenCalledTimes(5);
  });
});
