import { describe, expect, it } from '@jest/globals';
import { type AccessToken, AccessTokens, readToken } from './access-tokens.js';

const mask = (text: string) => text.replaceAll('s3cr3t', '***');

describe('access tokens', () => {
  const minuteMs = 60_000;

  it('are kept until shortly before their end, and requested once at a time', async () => {
    let [now, requests] = [0, 0];
    const request = () => Promise.resolve({ token: `t${(requests += 1)}`, lifetimeMs: 60 * minuteMs });
    const tokens = new AccessTokens<never>(request, () => now);
    const first = await Promise.all([tokens.get(), tokens.get(), tokens.get()]);
    expect(first.map(({ token }) => token)).toEqual(['t1', 't1', 't1']);
    now = 58 * minuteMs;
    expect(await tokens.get()).toMatchObject({ token: 't1' });
    now = 59 * minuteMs;
    expect(await tokens.get()).toMatchObject({ token: 't2' });
  });

  it('are replaced once if the provider rejects one', async () => {
    let requests = 0;
    const tokens = new AccessTokens<never>(() =>
      Promise.resolve({ token: `t${(requests += 1)}`, lifetimeMs: minuteMs }),
    );
    await tokens.get();
    tokens.forget('t1');
    await tokens.get();
    // A second request with the old token was refused later.
    tokens.forget('t1');
    expect(await tokens.get()).toMatchObject({ token: 't2' });
    expect(requests).toBe(2);
  });

  it('are requested again after a failure', async () => {
    const results: (AccessToken | { failure: string })[] = [
      { failure: 'down' },
      { token: 't', lifetimeMs: minuteMs },
    ];
    const tokens = new AccessTokens<{ failure: string }>(() =>
      Promise.resolve(results.shift() ?? { failure: 'none' }),
    );
    expect(await tokens.get()).toEqual({ failure: 'down' });
    expect(await tokens.get()).toMatchObject({ token: 't' });
  });
});

describe('the answer to a request for a token', () => {
  const read = (status: number, body: unknown, settings: object = {}) =>
    readToken({ url: '', ...settings }, { status, text: JSON.stringify(body) }, mask);

  it('has a token and its lifetime', () => {
    expect(read(200, { access_token: 'abc', expires_in: 3_600 })).toEqual({
      token: 'abc',
      lifetimeMs: 3_600_000,
    });
    expect(
      read(201, { data: { jwt: 'abc', ttl: '60' } }, { token: '/data/jwt', expiresIn: '/data/ttl' }),
    ).toEqual({ token: 'abc', lifetimeMs: 60_000 });
    expect(read(200, { access_token: 'abc' })).toEqual({ token: 'abc', lifetimeMs: 300_000 });
  });

  it('is never unknown: no message was sent', () => {
    expect(read(401, { error: 's3cr3t is wrong' })).toMatchObject({
      outcome: 'account',
      detail: '401 {"error":"*** is wrong"}',
    });
    expect(read(429, {})).toMatchObject({ outcome: 'throttled' });
    expect([read(500, {}), read(302, {})]).toMatchObject([
      { outcome: 'transient' },
      { outcome: 'transient' },
    ]);
    // It may be a token in another place.
    expect(JSON.stringify(read(200, { token: 't0k3n' }))).not.toContain('t0k3n');
  });
});
