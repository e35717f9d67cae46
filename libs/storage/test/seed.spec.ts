import { masterSealer, newSealingKey } from '@gangan/sealing';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { Database, openCallbackSecret } from '@gangan/database';
import { migrate, seedDemo } from '../src/index.js';

describe('the demo organisation', () => {
  let postgres: TestDatabase;
  let database: Database;
  const sealer = masterSealer([newSealingKey()]);
  const seed = () => seedDemo(postgres.url, sealer);

  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  it('exists once, even if it is seeded repeatedly and in parallel', async () => {
    await Promise.all([seed(), seed()]);
    expect(await seed()).toEqual({ apiKey: 'sk_test_demo' });
    expect(await database.account.count()).toBe(1);
    const organisation = await database.organisation.findFirstOrThrow({
      include: { apiKeys: true, callbackSecrets: true },
    });
    expect(organisation).toMatchObject({
      mode: 'test',
      status: 'active',
      requestsPerSecond: 10_000,
      otpSendsPerRecipient: 0,
      callbackSecrets: [{ secret: null, retiresAt: null }],
    });
    expect(organisation.callbackSecrets.map((row) => openCallbackSecret(sealer, row))).toEqual([
      'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=',
    ]);
    expect(organisation.apiKeys).toHaveLength(1);
    expect(Buffer.from(organisation.apiKeys[0]?.hash ?? [])).toEqual(
      createHash('sha256').update('sk_test_demo').digest(),
    );
  });

  it('has its balance from the ledger', async () => {
    await seed();
    const wallet = await database.ledgerAccount.findFirstOrThrow({ where: { kind: 'wallet' } });
    const [topUp] = await database.ledgerMovement.findMany();
    expect(wallet.balance).toBeGreaterThan(0n);
    expect(topUp).toMatchObject({
      kind: 'top_up',
      from: 'funding',
      to: 'wallet',
      kobo: wallet.balance,
      walletAfter: wallet.balance,
    });
  });

  it('has a top-up whose id and date are the time of the seed', async () => {
    await seed();
    await seed();
    const { id, createdAt } = await database.ledgerMovement.findFirstOrThrow();
    expect(await database.ledgerMovement.count()).toBe(1);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(createdAt.getTime());
    expect(Date.now() - createdAt.getTime()).toBeLessThan(3_600_000);
  });

  it('keeps changed rows', async () => {
    await seed();
    await database.apiKey.updateMany({ data: { revokedAt: new Date() } });
    await seed();
    expect(await database.apiKey.count({ where: { revokedAt: null } })).toBe(0);
  });
});
