import type { SqlRunner } from '@gangan/database';
import { describe, expect, it, jest } from '@jest/globals';
import { SenderRegistrationReader } from './sender-registrations.js';

describe('the registrations of senders', () => {
  it('are read again only if they have changed', async () => {
    const row = {
      provider: 'a',
      organisationId: null,
      sender: 'Acme',
      originator: null,
      status: 'approved',
    };
    const run = jest
      .fn<() => Promise<readonly object[]>>()
      .mockResolvedValueOnce([{ version: '0 0' }])
      .mockResolvedValueOnce([])
      .mockResolvedValueOnce([{ version: '0 0' }])
      .mockResolvedValueOnce([{ version: '1 7' }])
      .mockResolvedValueOnce([row]);
    const reader = new SenderRegistrationReader({ run } as unknown as SqlRunner);
    const found = async () => (await reader.read()).find('a', 'Acme', 'b');
    expect(await found()).toBeUndefined();
    expect(await found()).toBeUndefined();
    expect(await found()).toEqual(row);
    expect(run).toHaveBeenCalledTimes(5);
  });
});
