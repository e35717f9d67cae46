import { describe, expect, it } from '@jest/globals';
import { readOptions, UsageError } from '@gangan/testing';
import { callbackOptions } from './callback-options.js';

describe('options of the callback bench', () => {
  it('have defaults', () => {
    expect(readOptions(callbackOptions, [])).toEqual({
      seconds: 20,
      rounds: 5,
      rate: 1,
      hosts: 50,
      on: 'postgres',
      assert: false,
    });
  });

  it.each(['--hosts 7', '--hosts 0', '--rate x', '--on kafka', '--fast'])('do not accept %s', (args) => {
    expect(() => readOptions(callbackOptions, args.split(' '))).toThrow(UsageError);
  });
});
