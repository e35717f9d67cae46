import { describe, expect, it } from '@jest/globals';
import { redactUrl } from './redact-url.js';

describe('the place of a URL', () => {
  it.each([
    ['postgresql://me:secret@db.example:5432/gangan?sslmode=require', 'db.example:5432/gangan'],
    ['postgresql://me:sec@ret@db/gangan', 'db/gangan'],
    ['postgresql://db/gangan?password=secret', 'db/gangan'],
    ['redis://:secret@localhost:6379/0', 'localhost:6379/0'],
    ['redis-cluster://a:1,b:2', 'a:1,b:2'],
  ])('of %s tells no secret', (url, place) => {
    expect(redactUrl(url)).toBe(place);
  });

  it.each([
    'postgres//me:secret@127.0.0.1:1/x',
    'host=127.0.0.1 password=secret',
    'postgres://me:1/secret@db/gangan',
    'postgres://me:1?secret@db/gangan',
    'me:secret@db/gangan',
  ])('is not guessed at in %s', (url) => {
    expect(redactUrl(url)).toBe('an address that cannot be read');
  });
});
