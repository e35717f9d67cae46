import { parsePhone } from '@gangan/contracts';
import { type AppLogger, Registry } from '@gangan/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LookupConfig } from '../lookup.config.js';
import { LookupMetrics } from '../lookup.metrics.js';
import type { LookupProvider } from './lookup-provider.js';
import { ProviderCalls } from './provider-calls.js';
import type { ProviderCounts } from './provider-counts.js';

const phone = parsePhone('+2348031234567');
if (!phone) throw new Error('it is a phone number');

describe('calls to a lookup provider that keeps failing', () => {
  let now = 0;
  let called = 0;
  let answer: () => Promise<object> = () => Promise.resolve({});
  const failing = () => Promise.resolve({ outcome: 'unknown', reason: 'no_answer', shown: {} });
  const answering = () => Promise.resolve({ outcome: 'accepted', finding: {}, shown: {} });
  const provider = {
    name: 'one',
    identity: 'one-1',
    call: () => ((called += 1), answer()),
  } as unknown as LookupProvider;
  const lines: string[] = [];
  const note = (_: object, message: string) => void lines.push(message);
  const find = (calls: ProviderCalls) => calls.find([provider], phone, now + 60_000);
  const open = async (): Promise<ProviderCalls> => {
    const logger = { info: note, warn: () => undefined, error: () => undefined } as unknown as AppLogger;
    const config = { LOOKUP_PROVIDER_TIMEOUT_MS: 2_000 } as LookupConfig;
    const counts = { add: () => undefined } as unknown as ProviderCounts;
    const calls = new ProviderCalls(config, new LookupMetrics(new Registry()), counts, logger);
    answer = failing;
    for (let call = 0; call < 7; call += 1) await find(calls);
    return calls;
  };
  beforeEach(() => {
    [now, called, lines.length] = [1_000, 0, 0];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('are paused for 10 s after five failures, and again after a failed test', async () => {
    const calls = await open();
    expect([called, calls.arePaused([provider])]).toEqual([5, true]);
    now += 9_999;
    await find(calls);
    expect(called).toBe(5);
    now += 1;
    expect(calls.arePaused([provider])).toBe(false);
    await find(calls);
    await find(calls);
    expect([called, calls.arePaused([provider])]).toEqual([6, true]);
  });

  it('are made again after a lookup that tests it; the others are not sent meanwhile', async () => {
    const calls = await open();
    now += 10_000;
    answer = answering;
    const [test, other] = await Promise.all([find(calls), find(calls)]);
    expect([called, test?.provider, other]).toEqual([6, provider, undefined]);
    expect(lines).toEqual(['a lookup provider answers again']);
    expect(await find(calls)).toMatchObject({ provider });
  });

  it('do not end the pause if they began before it', async () => {
    const calls = await open();
    now += 10_000;
    let end = (): void => undefined;
    answer = () => new Promise((resolve) => (end = () => void answering().then(resolve)));
    const late = find(calls);
    end();
    await late;
    answer = failing;
    for (let call = 0; call < 4; call += 1) await find(calls);
    answer = () => new Promise((resolve) => (end = () => void answering().then(resolve)));
    const inFlight = find(calls);
    const endInFlight = end;
    answer = failing;
    await find(calls);
    expect(calls.arePaused([provider])).toBe(true);
    endInFlight();
    await inFlight;
    expect(calls.arePaused([provider])).toBe(true);
  });
});
