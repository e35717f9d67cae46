import { Database } from '@gangan/database';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { migrate } from '@gangan/storage';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addProvider,
  applyDefinitions,
  defineProvider,
  disableProvider,
  findChanges,
  messageRoute,
  removeRoute,
  saveRoute,
  type SealedAccess,
  setProvider,
  targetsInOrder,
} from '../src/index.js';

describe('definitions of providers and routes', () => {
  const sealer = masterSealer([newSealingKey()]);
  let postgres: TestDatabase;
  let access: SealedAccess;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    const database = new Database({ url: postgres.url, poolSize: 2 });
    access = { database, principal: { name: 'ada' }, sealer: () => Promise.resolve(sealer) };
  });
  afterAll(async () => {
    await access.database.close();
    await postgres.drop();
  });

  const termii = (rate: number) =>
    defineProvider({
      ...{ name: 'termii', organisationId: null, preset: 'termii', rate },
      secrets: { api_key: 'TLsecretKeyOfTheAccount' },
    });
  const everywhere = { organisationId: null, category: null, operator: null, prefix: null, country: null };
  const route = messageRoute({ ...everywhere, channel: 'sms' });
  const definitions = { providers: [termii(50)], routes: [{ route, targets: targetsInOrder(['termii']) }] };
  const changes = () => findChanges(access.database, access.sealer, definitions);

  it('are not applied if a provider was changed after its differences were shown', async () => {
    await addProvider(access, termii(10));
    const seen = await changes();
    expect(seen.map(({ differences }) => differences)).toEqual([
      ['termii: rate: 10 → 50'],
      ['sms of any organisation: (no route) → termii'],
    ]);
    await disableProvider(access, 'termii');
    await expect(applyDefinitions(access, definitions, seen)).rejects.toMatchObject({
      message: 'termii was changed meanwhile; nothing was applied',
      next: 'try_again',
    });
    expect(await access.database.provider.findFirst()).toMatchObject({ rate: 10, enabled: false });
    expect(await route.findTargets(access.database)).toBeUndefined();
    await applyDefinitions(access, definitions, await changes());
    expect(await access.database.provider.findFirst()).toMatchObject({ rate: 50, enabled: true });
    expect(await changes()).toEqual([]);
  });

  it('name each provider of a route once, and at least one', async () => {
    const before = await route.findTargets(access.database);
    const refused = (names: string[]) =>
      expect(saveRoute(access, { route, targets: targetsInOrder(names) })).rejects;
    await refused([]).toMatchObject({ code: 'invalid' });
    await refused(['termii', 'termii']).toMatchObject({ message: expect.stringContaining('named twice') });
    expect(await route.findTargets(access.database)).toEqual(before);
    await removeRoute(access, route);
    await expect(removeRoute(access, route)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keep secrets that cannot be opened until all of them are given', async () => {
    const other = masterSealer([newSealingKey()]);
    const later = { ...access, sealer: () => Promise.resolve(other) };
    await expect(setProvider(later, 'termii', { rate: 5 })).rejects.toMatchObject({
      next: 'replace_secrets',
      subject: 'termii',
    });
    const secrets = { api_key: 'another-secret-key' };
    expect(await setProvider(later, 'termii', { secrets })).toEqual([
      'secrets: replaced; the stored ones cannot be opened',
    ]);
  });
});
