import { describe, expect, it } from '@jest/globals';
import { cleanEnv } from 'envalid';
import { contractVariables } from './settings.js';

const faultsOf = (environment: Readonly<Record<string, string>>): string[] => {
  const faults: string[] = [];
  cleanEnv(environment, contractVariables, {
    reporter: ({ errors }) => void faults.push(...Object.keys(errors)),
  });
  return faults;
};

describe('contractVariables', () => {
  it('has usable defaults', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it.each(['ZZ', 'ng', 'XX', 'N', 'NGA'])('rejects %j as a region', (value) => {
    expect(faultsOf({ DEFAULT_REGION: value })).toEqual(['DEFAULT_REGION']);
  });

  it('rejects bounds that are not ranges, and switches that are not true or false', () => {
    expect(faultsOf({ AIRTIME_BOUNDS: '100-1', CALLBACK_ALLOW_PRIVATE: 'yes' })).toEqual([
      'AIRTIME_BOUNDS',
      'CALLBACK_ALLOW_PRIVATE',
    ]);
  });
});
