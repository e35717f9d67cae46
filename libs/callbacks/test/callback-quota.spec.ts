import { deliveryEvents, purchaseEvents } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { anEndpoint, anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CallbackQuota } from '../src/index.js';

const url = 'https://example.com/cb';

describe('the quota of waiting callbacks', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  const newQuota = (max: number) => new CallbackQuota(database, max);

  /** An organisation with waiting callbacks, and one that was delivered. */
  const organisationWith = async (waiting: number, waitingCallbacks?: number): Promise<string> => {
    const { id: organisationId } = await anOrganisation(database, { waitingCallbacks });
    const callback = () => ({
      id: newId(),
      organisationId,
      resourceId: newId(),
      type: 'test',
      url,
      host: 'example.com',
      body: '{}',
      requestId: 'request',
    });
    const delivered = { state: 'delivered' as const, nextAttemptAt: null, endedAt: new Date() };
    await database.callback.createMany({
      data: [...Array.from({ length: waiting }, callback), { ...callback(), ...delivered }],
    });
    return organisationId;
  };

  it('rejects requests with a callback URL when it is reached', async () => {
    const organisationId = await organisationWith(3, 3);
    const quota = newQuota(100);
    await expect(quota.check(organisationId, deliveryEvents, url)).rejects.toMatchObject({
      status: 429,
      code: 'too_many_callbacks',
      retryAfter: 60,
      fields: [{ field: 'callback', message: expect.stringContaining('The limit waiting_callbacks is 3') }],
    });
    await quota.check(organisationId, deliveryEvents, null);
  });

  it('rejects requests without a URL only if the organisation has an endpoint that is on', async () => {
    const organisationId = await organisationWith(3, 3);
    await anEndpoint(database, organisationId, { enabled: false });
    await newQuota(100).check(organisationId, deliveryEvents, null);
    await anEndpoint(database, organisationId);
    const quota = newQuota(100);
    await expect(quota.check(organisationId, deliveryEvents, null)).rejects.toMatchObject({
      code: 'too_many_callbacks',
      fields: [{ message: expect.not.stringContaining('without callback') }],
    });
    expect(quota.isKnownToAccept(organisationId, deliveryEvents)).toBe(false);
  });

  it('rejects requests without a URL only if an endpoint receives their events', async () => {
    const organisationId = await organisationWith(3, 3);
    await anEndpoint(database, organisationId, {
      events: ['airtime.failed', 'message.clicked', 'message.canceled', 'otp.sent'],
    });
    const quota = newQuota(100);
    await quota.check(organisationId, deliveryEvents, null);
    const purchases = quota.check(organisationId, purchaseEvents, null);
    await expect(purchases).rejects.toMatchObject({ code: 'too_many_callbacks' });
  });

  it('accepts without a query after a check', async () => {
    const organisationId = await organisationWith(2, 3);
    const quota = newQuota(100);
    expect(quota.isKnownToAccept(organisationId, deliveryEvents)).toBe(false);
    await quota.check(organisationId, deliveryEvents, null);
    expect(quota.isKnownToAccept(organisationId, deliveryEvents)).toBe(true);
  });

  it('accepts requests below the limit and without a limit', async () => {
    await newQuota(100).check(await organisationWith(2, 3), deliveryEvents, url);
    await newQuota(1).check(await organisationWith(5, 0), deliveryEvents, url);
    await newQuota(0).check(await organisationWith(5), deliveryEvents, url);
  });

  it('falls back to the configured quota', async () => {
    const organisationId = await organisationWith(5);
    await expect(newQuota(5).check(organisationId, deliveryEvents, url)).rejects.toMatchObject({
      status: 429,
    });
  });

  it('counts the callbacks once for many requests', async () => {
    const organisationId = await organisationWith(1, 2);
    const quota = newQuota(100);
    const statements = jest.spyOn(database, 'run');
    await Promise.all(Array.from({ length: 20 }, () => quota.check(organisationId, deliveryEvents, url)));
    await quota.check(organisationId, deliveryEvents, url);
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
  });
});
