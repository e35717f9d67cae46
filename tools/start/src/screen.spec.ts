import { describe, expect, it } from '@jest/globals';
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
