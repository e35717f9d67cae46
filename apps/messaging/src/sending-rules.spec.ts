import type { Database } from '@gangan/database';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SendingRulesCache } from './sending-rules.js';

describe('cached sending rules', () => {
  const answers: (() => void)[] = [];
  let sender: string;
  let rules: SendingRulesCache;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setTimeout'] });
    // The cache takes the time 0 for none.
    jest.advanceTimersByTime(1);
    answers.splice(0);
    sender = 'First';
    const run = () =>
      new Promise((resolve) => {
        const row = { id: 'one', mode: 'test', defaultSender: sender, registeredOnly: false, senders: [] };
        answers.push(() => {
          resolve([row]);
        });
      });
    rules = new SendingRulesCache({ run } as unknown as Database);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const read = async (): Promise<string> => {
    const asked = rules.get('one');
    await settled();
    answers.at(-1)?.();
    return (await asked).defaultSender;
  };

  it('are refreshed while the cached ones are still used', async () => {
    expect(await read()).toBe('First');
    sender = 'Second';
    jest.advanceTimersByTime(3_000);
    expect((await rules.get('one')).defaultSender).toBe('First');
    expect((await rules.get('one')).defaultSender).toBe('First');
    await settled();
    expect(answers).toHaveLength(2);
    answers[1]?.();
    await settled();
    expect((await rules.get('one')).defaultSender).toBe('Second');
    expect(answers).toHaveLength(2);
  });

  it('are read again after the cache entry has expired', async () => {
    expect(await read()).toBe('First');
    sender = 'Second';
    jest.advanceTimersByTime(5_000);
    expect(await read()).toBe('Second');
  });
});
