import { parsePhone } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { type LookupData, toReply } from './lookup.response.js';

const phone = parsePhone('08031234567');
const known = (more: Partial<LookupData>): ReturnType<typeof toReply> => {
  if (!phone) throw new Error('no phone');
  return toReply({ phone, planOperator: 'MTN', registry: { dnd: false }, ...more });
};

describe('the sources of a reply', () => {
  it('are the plan and the registries without a provider', () => {
    expect(known({ registry: { portedTo: 'glo', dnd: true } })).toEqual({
      found: { msisdn: '2348031234567', operator: 'Glo', country: 'NG', ported: true, dnd: true },
      sources: { operator: 'registry', country: 'plan', ported: 'registry', dnd: 'registry' },
    });
  });

  it('show a number that came back to the operator of its prefix as not ported', () => {
    expect(known({ registry: { portedTo: 'mtn', dnd: false } })).toMatchObject({
      found: { operator: 'MTN', ported: false },
      sources: { operator: 'registry', ported: 'registry' },
    });
    expect(known({ planOperator: undefined, registry: { portedTo: 'MTN', dnd: false } })).toMatchObject({
      found: { operator: 'MTN', ported: true },
    });
  });

  it('prefer the provider for the fields that it reports', () => {
    const live = { finding: { operator: 'Airtel', ported: false }, source: 'live' } as const;
    expect(known({ live, registry: { portedTo: 'Glo', dnd: true } })).toEqual({
      found: { msisdn: '2348031234567', operator: 'Airtel', country: 'NG', ported: false, dnd: true },
      sources: { operator: 'live', country: 'plan', ported: 'live', dnd: 'registry' },
    });
  });

  it('have the type of the line and roaming only where a provider reports them', () => {
    const live = { finding: { lineType: 'mobile', roaming: false }, source: 'cache' } as const;
    expect(known({ live })).toMatchObject({
      found: { operator: 'MTN', line_type: 'mobile', roaming: false },
      sources: { operator: 'plan', line_type: 'cache', roaming: 'cache' },
    });
    expect(known({}).found).not.toHaveProperty('line_type');
  });

  it('show that a finding is cached and that the provider did not answer', () => {
    const live = { finding: { dnd: false, country: 'GH' }, source: 'cache' } as const;
    expect(known({ live, planOperator: undefined, providerSilent: true })).toEqual({
      found: { msisdn: '2348031234567', operator: 'UNKNOWN', country: 'GH', ported: false, dnd: false },
      sources: { operator: 'none', country: 'cache', ported: 'registry', dnd: 'cache' },
      providerSilent: true,
    });
  });
});
