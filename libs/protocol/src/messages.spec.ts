import { describe, expect, it } from '@jest/globals';
import { describeError, redactUrl } from './messages.js';

const refused = (address: string): Error =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' });

describe('describeError', () => {
  it.each([
    [new Error('too late'), 'too late'],
    [Object.assign(new Error(''), { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
    [new TypeError(), 'TypeError'],
    ['thrown as it is', 'thrown as it is'],
    [
      new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]),
      'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('describes %p', (error, description) => {
    expect(describeError(error)).toBe(description);
  });
});

describe('redactUrl', () => {
  it.each([
    ['postgresql://me:secret@db.example:5432/gangan?sslmode=require', 'db.example:5432/gangan'],
    ['postgresql://me:sec@ret@db/gangan', 'db/gangan'],
    ['postgresql://db/gangan?password=secret', 'db/gangan'],
    ['redis://:secret@localhost:6379/0', 'localhost:6379/0'],
    ['redis-cluster://a:1,b:2', 'a:1,b:2'],
  ])('removes the secrets of %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });

  it.each([
    'postgres//me:secret@127.0.0.1:1/x',
    'host=127.0.0.1 password=secret',
    'postgres://me:1/secret@db/gangan',
    'postgres://me:1?secret@db/gangan',
    'me:secret@db/gangan',
  ])('hides all of %s, where a secret may be anywhere', (url) => {
    expect(redactUrl(url)).toBe('an address that cannot be read');
  });
});
