import { describe, expect, it } from '@jest/globals';
import { placeOf } from './place-of.js';
import { readyScreen } from './screen.js';

const screen = {
  url: 'http://localhost:3000',
  demoKey: 'sk_test_demo',
  database: 'our own Postgres',
  queue: 'in Postgres',
  dataDir: '/x/.data',
  logs: '/x/.data/logs/<app>.log',
  seconds: 4.321,
};

describe('the screen', () => {
  it('says where it is, with which key, how to try and how to stop', () => {
    const text = readyScreen(screen);
    expect(text).toContain('ready (4.3 s)');
    expect(text).toContain(
      `curl 'http://localhost:3000/lookup/phone?phone=08031234567' -H 'Authorization: sk_test_demo'`,
    );
    for (const word of ['sk_test_demo', '/x/.data', '<app>.log', 'Ctrl-C']) expect(text).toContain(word);
  });

  it('invents no key where none was seeded', () => {
    expect(readyScreen({ ...screen, demoKey: undefined })).not.toContain('Demo key');
  });
});

describe('placeOf', () => {
  it.each([
    ['postgresql://me:secret@db.example:5432/gangan?sslmode=require', 'db.example:5432/gangan'],
    ['redis://:secret@localhost:6379/0', 'localhost:6379/0'],
    ['redis-cluster://a:1,b:2', 'a:1,b:2'],
  ])('tells of %s no secret', (url, place) => {
    expect(placeOf(url)).toBe(place);
  });
});
