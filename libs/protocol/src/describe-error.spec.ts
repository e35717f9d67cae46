import { describe, expect, it } from '@jest/globals';
import { describeError } from './describe-error.js';

const refused = (address: string): Error =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' });

describe('the words of an error', () => {
  it.each([
    [new Error('too late'), 'too late'],
    [Object.assign(new Error(''), { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
    [new TypeError(), 'TypeError'],
    ['thrown as it is', 'thrown as it is'],
    [
      new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]),
      'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('of %p are there', (error, words) => {
    expect(describeError(error)).toBe(words);
  });
});
