import { parsePhone } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { migrate } from '@gangan/storage';
import { anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  countPersonalData,
  dataTarget,
  erasePersonalData,
  findOrganisation,
  issueKey,
  smartlistsWith,
} from '../src/index.js';

describe('the target of an export or an erasure', () => {
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

  const targetOf = async (given?: string, organisationId?: string) => {
    const organisation = organisationId && (await findOrganisation(database, organisationId));
    const whose = { phone: parsePhone(given ?? ''), organisation: organisation || undefined };
    return dataTarget(database, whose, 'NG');
  };

  it('is a number, or an organisation that is suspended, itself or with its account', async () => {
    await expect(targetOf()).rejects.toMatchObject({ code: 'invalid' });
    const { id: active } = await anOrganisation(database);
    const refusal = { code: 'conflict', next: 'suspend_organisation', subject: 'Test/test' };
    await expect(targetOf(undefined, active)).rejects.toMatchObject(refusal);
    for (const options of [{ status: 'suspended' }, { accountStatus: 'suspended' }] as const) {
      const { id } = await anOrganisation(database, options);
      expect(await targetOf(undefined, id)).toMatchObject({ scopes: [{ organisationId: id, phone: null }] });
    }
  });

  it('leaves the smartlists of its organisations that name the number', async () => {
    const list = async (name: string, value: string) => {
      const { id: organisationId } = await anOrganisation(database);
      const { id: tableId } = await database.contactTable.create({ data: { id: newId(), organisationId } });
      const filters = [{ name: newId(), operator: 'is', value }];
      await database.smartlist.create({ data: { id: newId(), tableId, name, filters } });
      return { organisationId, name };
    };
    const [first, second] = [await list('One', '0803 123 4567'), await list('Two', '+2348031234567')];
    await list('Another', '0803 123 4568');
    const found = await smartlistsWith(database, await targetOf('08031234567'));
    expect(found).toEqual([first, second]);
    const own = await targetOf('08031234567', second.organisationId);
    expect(await smartlistsWith(database, own)).toEqual([second]);
  });

  describe('that is an organisation', () => {
    const tools = { sealer: masterSealer([newSealingKey()]), region: 'NG', onUnreadable: () => undefined };
    const observer = { onProgress: () => undefined, onRead: () => undefined };
    const suspended = async () => {
      const { id } = await anOrganisation(database, { status: 'suspended' });
      const data = { phone: '+2348031234569', provider: 'hlr 1', organisationId: id, keptUntil: new Date() };
      await database.liveFinding.create({ data });
      return { id, target: { ...(await targetOf(undefined, id)), withOptOuts: false } };
    };
    const access = () => ({ database, principal: { name: 'ada' } });

    it('has its lookups counted, as they are erased', async () => {
      const { target } = await suspended();
      const found = await countPersonalData(database, target, tools, observer);
      expect(Object.fromEntries(found)).toEqual({ live_finding: 1 });
      expect(await erasePersonalData(access(), target, found, tools, observer)).toEqual(found);
    });

    it('keeps its keys and data if it was activated meanwhile', async () => {
      const { id, target } = await suspended();
      await issueKey(access(), await findOrganisation(database, id), { name: 'Shop', networks: [] });
      await database.organisation.update({ where: { id }, data: { status: 'active' } });
      const erasing = erasePersonalData(access(), target, new Map(), tools, observer);
      await expect(erasing).rejects.toMatchObject({ next: 'suspend_organisation' });
      expect(await database.apiKey.count({ where: { organisationId: id, revokedAt: null } })).toBe(1);
      expect(await database.liveFinding.count({ where: { organisationId: id } })).toBe(1);
      expect(await database.auditLog.count({ where: { organisationId: id, action: 'data erase' } })).toBe(0);
    });
  });
});
