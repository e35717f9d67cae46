import { describe, expect, it } from '@jest/globals';
import { readyScreen } from './screen.js';

const screen = (demoKey: string | undefined): string =>
  readyScreen(
    'http://localhost:3000',
    demoKey,
    {
      Database: 'our own Postgres',
      Queue: 'in Postgres',
      Data: '/x/.data',
      Logs: '/x/.data/logs/<app>.log',
    },
    4.321,
  );

describe('the screen', () => {
  it('shows the address, the key, an example and how to stop', () => {
    const text = screen('sk_test_demo');
    expect(text).toContain('ready (4.3 s)');
    expect(text).toContain(
      `curl 'http://localhost:3000/lookup/phone?phone=08031234567' -H 'Authorization: sk_test_demo'`,
    );
    for (const word of ['sk_test_demo', '/x/.data', '<app>.log', 'Ctrl-C']) expect(text).toContain(word);
  });

  it('shows no key if none was seeded', () => {
    expect(screen(undefined)).not.toContain('Demo key');
  });
});
