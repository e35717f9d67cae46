import type { OrganisationModes } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import type { FindingRepository } from './live/finding.repository.js';
import type { LiveLookups } from './live/live-lookups.js';
import type { LookupProviders } from './providers/lookup-providers.js';
import type { LookupCharges } from './charges/lookup-charges.js';
import type { LookupRepository, RegistryEntry } from './lookup.repository.js';
import { LookupConfig } from './lookup.config.js';
import { LookupService } from './lookup.service.js';
import { NumberingPlan } from './numbering-plan.js';

const found: string[] = [];
const context = newContext({ organisationId: 'o' });
const free: Pick<LookupCharges, 'charge'> = {
  charge: () => Promise.resolve(),
};

/** Without a configured provider. */
const serviceWith = (entry: RegistryEntry) => {
  const registry: Pick<LookupRepository, 'find'> = {
    find: (e164) => {
      found.push(e164);
      return Promise.resolve(entry);
    },
  };
  return new LookupService(
    new NumberingPlan(),
    registry as LookupRepository,
    {} as OrganisationModes,
    free as LookupCharges,
    { usableBy: () => [] } as Pick<LookupProviders, 'usableBy'> as LookupProviders,
    {} as FindingRepository,
    {} as LiveLookups,
    new LookupConfig({}),
  );
};

describe('a lookup', () => {
  const service = serviceWith({ dnd: false });

  it.each([
    ['08031234567', '2348031234567', 'MTN', 'NG'],
    ['0803 123 4567', '2348031234567', 'MTN', 'NG'],
    ['2348031234567', '2348031234567', 'MTN', 'NG'],
    ['+2348031234567', '+2348031234567', 'MTN', 'NG'],
    ['+234 803 123 4567', '+234 803 123 4567', 'MTN', 'NG'],
    ['08041234567', '2348041234567', 'NTEL', 'NG'],
    ['08091234567', '2348091234567', '9mobile', 'NG'],
    ['+2347000000002', '+2347000000002', 'UNKNOWN', 'NG'],
    ['+442079460000', '+442079460000', 'UNKNOWN', 'GB'],
    ['12025550123', '12025550123', 'UNKNOWN', 'US'],
    ['+15555550123', '+15555550123', 'UNKNOWN', 'UNKNOWN'],
    ['+80012345678', '+80012345678', 'UNKNOWN', 'UNKNOWN'],
  ])('of %s finds %s, %s, %s', async (phone, msisdn, operator, country) => {
    expect(await service.lookup({ phone }, context)).toMatchObject({
      found: { msisdn, operator, country, ported: false, dnd: false },
    });
  });

  it('reads the registries by E.164 for any spelling', async () => {
    found.length = 0;
    await service.lookup({ phone: '0803-123-4567' }, context);
    await service.lookup({ phone: '00 234 803 123 4567' }, context);
    expect(found).toEqual(['+2348031234567', '+2348031234567']);
  });

  it('reports the current operator of a ported number', async () => {
    const ported = serviceWith({ portedTo: 'ntel', dnd: true });
    expect((await ported.lookup({ phone: '08031234567' }, context)).found).toEqual({
      msisdn: '2348031234567',
      operator: 'NTEL',
      country: 'NG',
      ported: true,
      dnd: true,
    });
  });

  it('rejects an invalid number, although the gateway checks it first', async () => {
    await expect(service.lookup({ phone: '112' }, context)).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'phone', type: 'phone' }],
    });
  });
});
