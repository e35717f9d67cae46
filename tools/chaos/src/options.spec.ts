import { readOptions, UsageError } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { chaosOptions } from './options.js';

const read = (...args: string[]) => readOptions(chaosOptions, args);

describe('the options', () => {
  it('read one seed or a range, and default to all faults on Postgres', () => {
    expect(read()).toMatchObject({ seed: [1], queue: ['postgres'], seconds: 60, out: '' });
    expect(read('--seed', '3-5').seed).toEqual([3, 4, 5]);
    expect(read('--faults', 'kill-process,disk-full').faults).toEqual(['kill-process', 'disk-full']);
  });

  it.each([
    ['--seed', '5-3'],
    ['--seed', 'x'],
    ['--seconds', '0'],
    ['--faults', 'flood'],
    ['--queue', 'kafka'],
    ['--plan', 'blue-green'],
  ])('reject %s %s', (...args) => {
    expect(() => read(...args)).toThrow(UsageError);
  });
});
