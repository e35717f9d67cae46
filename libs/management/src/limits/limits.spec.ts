import { readFileSync } from 'node:fs';
import type { Limits } from '@gangan/database';
import { describe, expect, it } from '@jest/globals';
import { limitVariables, mergeLimits } from './limits.js';

const none = Object.fromEntries(limitVariables.map(([limit]) => [limit, null])) as unknown as Limits;

describe('effective limits', () => {
  it('have the defaults of docs/operate/configuration.md', () => {
    const docs = readFileSync(new URL('../../../../docs/operate/configuration.md', import.meta.url), 'utf8');
    for (const [, variable, fallback] of limitVariables)
      expect(docs).toMatch(new RegExp(`^\\| \`${variable}\` +\\| \`${fallback}\` `, 'm'));
  });

  it('come from the organisation, a variable or its default', () => {
    const limits = { ...none, requestBurst: 7, dailySpendKobo: 0n };
    const variables: Record<string, string> = { RATE_LIMIT_PER_SECOND: '30', OTP_DAILY_SPEND: '12.50' };
    const rows = mergeLimits(limits, (name) => variables[name]);
    expect(rows).toHaveLength(19);
    expect(rows).toEqual(
      expect.arrayContaining([
        { limit: 'requests_per_second', value: 30n, unit: 'number', source: 'RATE_LIMIT_PER_SECOND' },
        { limit: 'request_burst', value: 7n, unit: 'number', source: 'organisation' },
        { limit: 'daily_spend', value: 0n, unit: 'naira', source: 'organisation' },
        { limit: 'otp_daily_spend', value: 1_250n, unit: 'naira', source: 'OTP_DAILY_SPEND' },
        { limit: 'stored_bytes', value: 21_474_836_480n, unit: 'bytes', source: 'default of STORED_BYTES' },
      ]),
    );
  });

  it('are refused if a variable cannot be read', () => {
    expect(() => mergeLimits(none, () => 'many')).toThrow('RATE_LIMIT_PER_SECOND is not a whole number.');
  });
});
