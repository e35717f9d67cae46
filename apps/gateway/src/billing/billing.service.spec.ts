import type { Database } from '@gangan/database';
import { newContext, newId, runInContext } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BillingService } from './billing.service.js';

const silent = { query: () => new Promise(() => undefined) } as unknown as Database;
const billing = new BillingService(silent);

describe('reading money', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['the balance', () => billing.balance()],
    ['the ledger', () => billing.ledger({})],
  ])(
    'does not wait for %s for ever when the database stays silent',
    async (_, read: () => Promise<unknown>) => {
      const reading = runInContext(newContext({ organisationId: newId() }), read);
      const refused = expect(reading).rejects.toMatchObject({ code: 'unavailable', status: 503 });
      await jest.advanceTimersByTimeAsync(10_000);
      await refused;
    },
  );
});
