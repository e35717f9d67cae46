import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

describe('the settings of a start', () => {
  it('needs none', () => {
    expect(readSettings({})).toMatchObject({ host: '127.0.0.1', port: 3000, production: false });
    expect(readSettings({}).dataDir).toMatch(/\.data$/);
  });

  it('takes a blank for nothing', () => {
    expect(readSettings({ DATABASE_URL: ' ', REDIS_URL: '', PORT: '' })).toMatchObject({
      databaseUrl: undefined,
      redisUrl: undefined,
      port: 3000,
    });
  });

  it.each(['0', 'abc', '70000', '30.5'])('refuses PORT=%s in words', (PORT) => {
    expect(() => readSettings({ PORT })).toThrow('PORT must be a whole number from 1 to 65535.');
  });
});
