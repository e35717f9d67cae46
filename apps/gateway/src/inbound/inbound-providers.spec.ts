import { createHash } from 'node:crypto';
import type { InboundProviderList } from '@gangan/contracts';
import type { QueueClient } from '@gangan/queue';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Subject } from 'rxjs';
import { hasToken, InboundProviders } from './inbound-providers.js';

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
const list = (...tokens: string[]): InboundProviderList => ({
  providers: [{ name: 'termii', tokenDigests: tokens.map(digest), hasHandshake: false, headers: [] }],
});

describe('the providers that may send requests', () => {
  let calls: Subject<InboundProviderList>[];
  let providers: InboundProviders;
  beforeEach(() => {
    jest.useFakeTimers();
    calls = [];
    const send = () => {
      const call = new Subject<InboundProviderList>();
      calls.push(call);
      return call;
    };
    providers = new InboundProviders({ send } as unknown as QueueClient);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const pass = (seconds: number): Promise<void> => jest.advanceTimersByTimeAsync(seconds * 1_000);
  /** The token of the provider, or the status of the error; `waits` if there is no answer yet. */
  const ask = async (): Promise<unknown> => {
    const answer = providers.find('termii').then(
      (known) => ['first', 'second', 'again'].find((token) => hasToken(known, token)),
      (error: unknown) => (error as { status?: number }).status,
    );
    const waits = pass(0.001).then(() => 'waits');
    return await Promise.race([answer, waits]);
  };
  const answer = async (token: string): Promise<void> => {
    calls.at(-1)?.next(list(token));
    await pass(0);
  };
  const fail = async (): Promise<void> => {
    calls.at(-1)?.error(new Error('no worker'));
    await pass(0);
  };

  it('are read by one call for all requests that arrive before the first list', async () => {
    expect(await Promise.all([ask(), ask()])).toEqual(['waits', 'waits']);
    await answer('first');
    expect(await ask()).toBe('first');
    expect(calls).toHaveLength(1);
  });

  it('are answered from the list while it is read again', async () => {
    await ask();
    await answer('first');
    await pass(3);
    expect([await ask(), await ask()]).toEqual(['first', 'first']);
    expect(calls).toHaveLength(2);
    await answer('second');
    expect(await ask()).toBe('second');
    expect(calls).toHaveLength(2);
  });

  it('are read first if no request has come for 5 s, so that a replaced token is not accepted', async () => {
    await ask();
    await answer('first');
    await pass(20);
    expect(await ask()).toBe('waits');
    await answer('second');
    expect(await ask()).toBe('second');
  });

  it('are answered from the list however long no worker answers, and with 503 before there is one', async () => {
    expect(await ask()).toBe('waits');
    await fail();
    expect(await ask()).toBe(503);
    await pass(3);
    expect(await ask()).toBe('waits');
    await answer('first');
    for (let seconds = 0; seconds < 600; seconds += 20) {
      await pass(20);
      // The first request after a success waits for the new list.
      expect(await ask()).toBe(seconds === 0 ? 'waits' : 'first');
      await fail();
      expect([await ask(), providers.answers]).toEqual(['first', false]);
    }
    await pass(3);
    expect(await ask()).toBe('first');
    await answer('again');
    expect([await ask(), providers.answers]).toEqual(['again', true]);
  });
});

describe('the token of a request', () => {
  it('is compared with the digests of the current and the former one', () => {
    const { providers: both } = list('current', 'former');
    const { providers: one } = list('current');
    expect(['current', 'former', 'other', ''].map((token) => hasToken(both[0], token))).toEqual([
      ...[true, true, false, false],
    ]);
    expect(['current', 'former', ''].map((token) => hasToken(one[0], token))).toEqual([true, false, false]);
    expect(['current', ''].map((token) => hasToken(undefined, token))).toEqual([false, false]);
  });
});
