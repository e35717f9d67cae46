import { migrate } from '@gangan/storage';
import { createTestDatabase } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { Configs, defineConfig } from '../src/config/define-config.js';
import { dailySpend, storedLimit } from '../src/config/spend-limits.js';
import { requireSpendLimits } from '../src/process/dependencies.js';
import type { Launch } from '../src/process/host-process.js';

class OtpLimits extends defineConfig({ DAILY_SPEND: dailySpend, OTP_DAILY_SPEND: storedLimit('OTPs') }) {}

it('a worker does not start with a limit of spending that is not the stored one', async () => {
  const postgres = await createTestDatabase(migrate);
  const start = (limits: object): Promise<void> =>
    requireSpendLimits({
      config: { DATABASE_URL: postgres.url },
      specs: [OtpLimits],
      configs: new Configs({ ...limits }),
    } as unknown as Launch);
  try {
    await start({});
    await start({ DAILY_SPEND: 5_000_000, OTP_DAILY_SPEND: 0 });
    await expect(start({ DAILY_SPEND: 5_000_000, OTP_DAILY_SPEND: 20 })).rejects.toThrow(
      'OTP_DAILY_SPEND is 20, and the database has 0. Run pnpm migrate with the value that is to apply, and set the same value for this app, or none.',
    );
  } finally {
    await postgres.drop();
  }
});
