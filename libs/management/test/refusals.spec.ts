import { Database, sql } from '@gangan/database';
import { AppError } from '@gangan/protocol';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { grantRoles, migrate } from '@gangan/storage';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Access,
  addAccount,
  addOperator,
  bookMoney,
  change,
  findKey,
  findOrganisation,
  issueKey,
  setMessageSettings,
} from '../src/index.js';

describe('what operators do', () => {
  let postgres: TestDatabase;
  let access: Access;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    await grantRoles(postgres.url);
    access = { database: new Database({ url: postgres.url, poolSize: 2 }), principal: { name: 'ada' } };
    await addAccount(access, masterSealer([newSealingKey()]), { name: 'Acme', sender: 'Acme' });
  });
  afterAll(async () => {
    await access.database.close();
    await postgres.drop();
  });

  const organisation = (label: string) => findOrganisation(access.database, label);
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('is refused with a code, a status and the next step, and reaches callers as any AppError', async () => {
    const live = await organisation('acme/live');
    const missing = await failureOf(findKey(access.database, 'sk_live_unknown'));
    expect(missing).toBeInstanceOf(AppError);
    expect(missing).toMatchObject({ code: 'not_found', status: 404, next: 'list_keys' });
    expect(await failureOf(issueKey(access, live, { name: 'Shop', networks: [] }))).toMatchObject({
      ...{ code: 'invalid', status: 422, next: 'name_scopes' },
      message: 'Acme/live is live: name what the key is for',
    });
    const names = { provider_names: 'shown' } as const;
    const test = await organisation('acme/test');
    expect(await failureOf(setMessageSettings(access, test, 'provider_names', names))).toMatchObject({
      ...{ code: 'conflict', status: 409, next: undefined },
    });
  });

  it('is refused by functions of the database in their own words', async () => {
    const { id: organisationId } = await organisation('acme/test');
    const booking = { kind: 'adjustment', organisationId, kobo: -1n, note: 'Too much' } as const;
    expect(await failureOf(bookMoney(access, booking))).toMatchObject({
      ...{ code: 'conflict', status: 409 },
      message: expect.stringContaining('Nothing was booked'),
    });
  });

  it('names the owner of the tables to a login without the privilege', async () => {
    const { login, password = '' } = await addOperator(access, 'grace');
    const url = Object.assign(new URL(postgres.url), { username: login, password }).href;
    const database = new Database({ url, poolSize: 1 });
    try {
      const refused = await failureOf(addOperator({ ...access, database }, 'zoe'));
      expect(refused).toMatchObject({
        ...{ code: 'forbidden', status: 403 },
        message: expect.stringContaining('needs the owner of the tables'),
      });
    } finally {
      await database.close();
    }
  });

  it('does not ask for the owner of the tables where an operator is enough', async () => {
    await access.database.execute(sql`CREATE ROLE visitor LOGIN PASSWORD 'visitor'`);
    const url = Object.assign(new URL(postgres.url), { username: 'visitor', password: 'visitor' }).href;
    const database = new Database({ url, poolSize: 1 });
    try {
      const { id: organisationId } = await organisation('acme/test');
      const booking = { kind: 'top_up', organisationId, kobo: 1n } as const;
      const failure = await failureOf(bookMoney({ ...access, database }, booking));
      expect(failure).not.toBeInstanceOf(AppError);
      expect(failure).toMatchObject({ message: expect.stringContaining('permission denied') });
    } finally {
      await database.close();
    }
  });

  it('is in the audit log with the name of who did it, or not at all', async () => {
    const entries = () =>
      access.database.query(sql`SELECT actor, action, target FROM audit_log WHERE action = 'keys try'`);
    const rename = (fails: boolean) =>
      change(access, 'keys try', async (models, log) => {
        await models.account.updateMany({ data: { name: 'Renamed' } });
        await log({ target: 'all accounts' });
        if (fails) throw new Error('changed my mind');
      });
    await expect(rename(true)).rejects.toThrow('changed my mind');
    expect(await entries()).toEqual([]);
    expect((await organisation('acme/live')).account).toBe('Acme');
    await rename(false);
    expect(await entries()).toEqual([{ actor: 'ada', action: 'keys try', target: 'all accounts' }]);
  });
});
