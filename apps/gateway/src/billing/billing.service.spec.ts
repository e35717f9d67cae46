import type { Database } from '@gangan/database';
import { newContext, newId, runInContext } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BillingService } from './billing.service.js';

const silent = { run: () => new Promise(() => undefined) } as unknown as Database;
const billing = new BillingService(silent);

describe('the billing service', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['the balance', () => billing.balance()],
    ['the ledger', () => billing.ledger({})],
    ['the prices', () => billing.prices()],
  ])('times out on %s if the database does not respond', async (_, read: () => Promise<unknown>) => {
    const reading = runInContext(newContext({ organisationId: newId() }), read);
    const refused = expect(reading).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    await jest.advanceTimersByTimeAsync(10_000);
    await refused;
  });
});
