import { describe, expect, it } from '@jest/globals';
import { defineConfig, type InvalidConfig } from './define-config.js';
import { readConfigs } from './read-configs.js';
import { secret, str } from './validators.js';

class SharedConfig extends defineConfig({
  LEVEL: str({ choices: ['low', 'high'], default: 'low', desc: 'How much is written' }),
  STORE: secret(str({ desc: 'Where rows are stored' })),
}) {}

const readers = ['otp', 'lookup'].map((name) => ({ name, specs: [SharedConfig] }));

const faultsOf = (environment: NodeJS.ProcessEnv): string[] => {
  try {
    readConfigs(readers, environment);
  } catch (error) {
    return (error as InvalidConfig).faults.map(({ name, problem }) => `${name} ${problem}`);
  }
  return [];
};

describe('the configurations of several apps', () => {
  it('are read from the variables of each app, then from the shared ones', () => {
    const environment = { LEVEL: 'low', OTP__LEVEL: 'high', OTP__STORE: 'a', LOOKUP__STORE: 'b' };
    const [otp, lookup] = readConfigs(readers, environment).map(({ configs }) => configs.of(SharedConfig));
    expect(otp).toMatchObject({ LEVEL: 'high', STORE: 'a' });
    expect(lookup).toMatchObject({ LEVEL: 'low', STORE: 'b' });
  });

  it('report a fault of a shared variable once', () => {
    expect(faultsOf({ LEVEL: 'loud' })).toEqual(['LEVEL must be one of: low, high', 'STORE is missing']);
  });

  it('report the faults of all apps, by the variables that have to be changed', () => {
    expect(faultsOf({ OTP__LEVEL: 'loud', LOOKUP__STORE: 'b' })).toEqual([
      'OTP__LEVEL must be one of: low, high',
      'OTP__STORE is missing',
    ]);
    expect(faultsOf({ OTP__STORE: 'a', OTP__STORE_FILE: '/b', STORE: 'c' })).toEqual([
      'OTP__STORE_FILE and OTP__STORE are both set: unset one',
    ]);
  });
});
