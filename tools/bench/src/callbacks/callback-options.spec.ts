import { describe, expect, it } from '@jest/globals';
import { UsageError } from '../options.js';
import { readCallbackOptions } from './callback-options.js';

describe('options of the callback bench', () => {
  it('have defaults', () => {
    expect(readCallbackOptions([])).toEqual({
      seconds: 20,
      rounds: 5,
      rate: 1,
      hosts: 50,
      on: 'postgres',
      assert: false,
    });
  });

  it.each(['--hosts 7', '--hosts 0', '--rate x', '--on kafka', '--fast'])('do not know %s', (args) => {
    expect(() => readCallbackOptions(args.split(' '))).toThrow(UsageError);
  });
});
