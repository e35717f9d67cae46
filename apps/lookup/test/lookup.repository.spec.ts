import { Database, type Registry, type RegistryImportState } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { BatchScope, newContext, newId, runInContext } from '@gangan/protocol';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LookupRepository } from '../src/lookup.repository.js';

describe('the registries', () => {
  let postgres: TestDatabase;
  let database: Database;
  let repository: LookupRepository;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 2 });
    repository = new LookupRepository(database);
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  const newImport = async (registry: Registry, state: RegistryImportState) => {
    const id = newId();
    await database.registryImport.create({ data: { id, registry, mode: 'merge', state, source: 'test' } });
    return id;
  };
  const port = async (phone: string, operator: string, state: RegistryImportState = 'active') => {
    const importId = await newImport('ported', state);
    await database.portedNumber.create({ data: { phone, operator, importId } });
  };
  const addToDnd = async (phone: string, state: RegistryImportState = 'active') => {
    const importId = await newImport('dnd', state);
    await database.dndNumber.create({ data: { phone, importId } });
  };

  it('do not know most numbers', async () => {
    expect(await repository.find('+2348030000000')).toEqual({ dnd: false });
  });

  it('return the operator of a ported number from the newest import', async () => {
    await port('+2348030000001', 'Glo');
    await port('+2348030000001', 'Airtel');
    expect(await repository.find('+2348030000001')).toEqual({ portedTo: 'Airtel', dnd: false });
  });

  it('return numbers on the DND list', async () => {
    await addToDnd('+2348030000002');
    expect(await repository.find('+2348030000002')).toEqual({ dnd: true });
  });

  it.each<RegistryImportState>(['loading', 'superseded', 'failed'])(
    'ignore imports that are %s',
    async (state) => {
      const phone = `+23480300001${state.length}`;
      await port(phone, 'Glo', state);
      await addToDnd(phone, state);
      expect(await repository.find(phone)).toEqual({ dnd: false });
    },
  );

  it('are read once for a batch, and each member gets its own entry', async () => {
    const numbers = Array.from({ length: 64 }, (_, index) => `+234803000${String(2_000 + index)}`);
    for (const phone of numbers.slice(0, 5)) await addToDnd(phone);
    await port(numbers[1] ?? '', 'MTN');
    const statements = jest.spyOn(database, 'run');
    const batch = new BatchScope(numbers.length);
    const entries = await Promise.all(
      numbers.map((phone) => runInContext(newContext(), () => repository.find(phone), batch)),
    );
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
    expect(entries.map(({ dnd }) => dnd)).toEqual(numbers.map((_, index) => index < 5));
    expect(entries.map(({ portedTo }) => portedTo)).toEqual(
      numbers.map((_, index) => (index === 1 ? 'MTN' : undefined)),
    );
  });
});
