import { parsePhone } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { migrate } from '@gangan/storage';
import { anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataTarget, findOrganisation, smartlistsWith } from '../src/index.js';

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
    const refusal = { code: 'conflict', next: 'suspend_organisation' };
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
});
