import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import type { MessagingConfig } from '../../messaging.config.js';
import { BufferedSubmitter } from './buffered-submitter.js';
import { ProviderLimits } from '../provider-limits.js';

const config = { DELIVERY_PROVIDER_WINDOW: 16, DELIVERY_PROVIDER_RATE: 100 } as MessagingConfig;
const done = () => Promise.resolve();

describe('the buffer of a provider', () => {
  it.each([
    ['the default rate', undefined, 100],
    ['its own rate', 40, 40],
  ])('has room for one second at %s, even if it was created while the provider is slow', (_, rate, room) => {
    const slowed = { rateOf: () => 1 };
    const submitter = new BufferedSubmitter({
      provider: {
        name: 'a',
        channels: ['sms'],
        ...(rate !== undefined && { rate }),
        submit: () => Promise.resolve([]),
      },
      limits: new ProviderLimits({ limits: {} as never }, slowed, config),
      bufferMs: 3_000,
      isUp: () => true,
      onError: () => undefined,
      submit: done,
      giveBack: done,
    });
    expect(submitter.reserve('one', room)?.count).toBe(room / 2);
    expect(submitter.reserve('other', room)?.count).toBe(room / 4);
  });

  it('submits a delivery at once if no call is in flight, and those that come during a call together', async () => {
    const sizes: number[] = [];
    const ends: (() => void)[] = [];
    const submitter = new BufferedSubmitter({
      provider: { name: 'a', channels: ['sms'], submit: () => Promise.resolve([]) },
      limits: new ProviderLimits({ limits: {} as never }, { rateOf: () => 0 }, {
        DELIVERY_PROVIDER_WINDOW: 16,
        DELIVERY_PROVIDER_RATE: 0,
      } as MessagingConfig),
      bufferMs: 3_000,
      isUp: () => true,
      onError: () => undefined,
      submit: (_provider, deliveries) => {
        sizes.push(deliveries.length);
        return new Promise((end) => ends.push(end));
      },
      giveBack: done,
    });
    const add = (id: string): void => {
      const delivery = { id, organisationId: 'one', claimedAt: performance.now(), release: () => undefined };
      submitter.add({ ...delivery, build: () => ({}) as never });
    };
    add('1');
    await turn();
    await turn();
    expect(sizes).toEqual([1]);
    add('2');
    await turn();
    await turn();
    add('3');
    expect(sizes).toEqual([1]);
    await until('the next call', () => sizes.length === 2);
    expect(sizes).toEqual([1, 2]);
    for (const end of ends) end();
  });
});
