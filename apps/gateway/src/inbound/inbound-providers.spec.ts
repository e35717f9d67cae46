import type { InboundProviderList } from '@gangan/contracts';
import type { QueueClient } from '@gangan/queue';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Subject } from 'rxjs';
import { InboundProviders } from './inbound-providers.js';

const list = (token: string): InboundProviderList => ({
  providers: [{ name: 'termii', token, settings: {}, secrets: {} }],
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
      (known) => known?.token,
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

  it('are answered from the list for 60 s without a worker, then with 503', async () => {
    await ask();
    await answer('first');
    await pass(3);
    expect(await ask()).toBe('first');
    await fail();
    for (let seconds = 3; seconds < 58; seconds += 5) {
      await pass(5);
      expect(await ask()).toBe('first');
      await fail();
    }
    await pass(5);
    expect(await ask()).toBe('waits');
    await fail();
    expect(await ask()).toBe(503);
    const before = calls.length;
    expect(await ask()).toBe(503);
    expect(calls).toHaveLength(before);
    await pass(3);
    expect(await ask()).toBe('waits');
    await answer('again');
    expect(await ask()).toBe('again');
  });
});
