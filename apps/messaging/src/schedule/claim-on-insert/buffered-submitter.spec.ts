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
      startMs: 3_000,
      isUp: () => true,
      onError: () => undefined,
      submit: done,
      giveBack: done,
    });
    expect(submitter.reserve('one', room / 2)).toBeDefined();
    expect(submitter.reserve('other', room)).toBeUndefined();
  });
});
