import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '@gangan/database';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../project-root.js';
import { asJson } from '../session/print.js';
import { effectiveLimits, limitVariables } from './effective-limits.js';

const none = Object.fromEntries(limitVariables.map(([limit]) => [limit, null])) as unknown as Limits;

describe('effective limits', () => {
  it('have the defaults of docs/operate/configuration.md', () => {
    const docs = readFileSync(join(projectRoot, 'docs/operate/configuration.md'), 'utf8');
    for (const [, variable, fallback] of limitVariables)
      expect(docs).toMatch(new RegExp(`^\\| \`${variable}\` +\\| \`${fallback}\` `, 'm'));
  });

  it('come from the organisation, a variable or its default', () => {
    const limits = { ...none, requestBurst: 7, dailySpendKobo: 0n };
    const variables: Record<string, string> = { RATE_LIMIT_PER_SECOND: '30', OTP_DAILY_SPEND: '12.50' };
    const rows = JSON.parse(asJson(effectiveLimits(limits, (name) => variables[name]))) as object[];
    expect(rows).toHaveLength(19);
    expect(rows).toEqual(
      expect.arrayContaining([
        { limit: 'requests_per_second', value: 30, limited: true, source: 'RATE_LIMIT_PER_SECOND' },
        { limit: 'request_burst', value: 7, limited: true, source: 'organisation' },
        { limit: 'daily_spend', value: 0, limited: false, source: 'organisation' },
        { limit: 'otp_daily_spend', value: 12.5, limited: true, source: 'OTP_DAILY_SPEND' },
        { limit: 'stored_bytes', value: 21_474_836_480, limited: true, source: 'default of STORED_BYTES' },
      ]),
    );
  });

  it('are refused if a variable cannot be read', () => {
    expect(() => effectiveLimits(none, () => 'many')).toThrow('RATE_LIMIT_PER_SECOND is not a whole number.');
  });
});
