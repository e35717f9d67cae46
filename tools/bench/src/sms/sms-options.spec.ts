import { describe, expect, it } from '@jest/globals';
import { readOptions, UsageError } from '@gangan/testing';
import { smsOptions } from './sms-options.js';

describe('options of the sms bench', () => {
  it('have defaults', () => {
    expect(readOptions(smsOptions, [])).toEqual({
      seconds: 4,
      rounds: 3,
      connections: 64,
      recipients: [1, 1_000],
      organisations: [1, 50],
      backlog: 100_000,
      on: 'postgres',
    });
  });

  it.each(['--recipients 1001', '--recipients 0', '--backlog -1', '--rounds 1.5', '--on kafka', '--fast'])(
    'do not accept %s',
    (args) => {
      expect(() => readOptions(smsOptions, args.split(' '))).toThrow(UsageError);
    },
  );
});
