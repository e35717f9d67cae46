import { parsePhone } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { answerOf, type Knowledge } from './lookup-answer.js';

const phone = parsePhone('08031234567');
const known = (more: Partial<Knowledge>): ReturnType<typeof answerOf> => {
  if (!phone) throw new Error('no phone');
  return answerOf({ phone, planned: 'MTN', registry: { dnd: false }, ...more });
};

describe('of those who know something of a number', () => {
  it('the plan and the registries answer where there is nobody else', () => {
    expect(known({ registry: { portedTo: 'glo', dnd: true } })).toEqual({
      found: { msisdn: '2348031234567', operator: 'Glo', country: 'NG', ported: true, dnd: true },
      sources: { operator: 'registry', country: 'plan', ported: 'registry', dnd: 'registry' },
    });
  });

  it('a number that came back to the operator of its prefix is not ported', () => {
    expect(known({ registry: { portedTo: 'mtn', dnd: false } })).toMatchObject({
      found: { operator: 'MTN', ported: false },
      sources: { operator: 'registry', ported: 'registry' },
    });
    expect(known({ planned: undefined, registry: { portedTo: 'MTN', dnd: false } })).toMatchObject({
      found: { operator: 'MTN', ported: true },
    });
  });

  it('the provider is right in what it tells, and only in that', () => {
    const live = { finding: { operator: 'Airtel', ported: false }, source: 'live' } as const;
    expect(known({ live, registry: { portedTo: 'Glo', dnd: true } })).toEqual({
      found: { msisdn: '2348031234567', operator: 'Airtel', country: 'NG', ported: false, dnd: true },
      sources: { operator: 'live', country: 'plan', ported: 'live', dnd: 'registry' },
    });
  });

  it('it is told that what the provider said is of earlier, and that it is silent now', () => {
    const live = { finding: { dnd: false, country: 'GH' }, source: 'cache' } as const;
    expect(known({ live, planned: undefined, providerSilent: true })).toEqual({
      found: { msisdn: '2348031234567', operator: 'UNKNOWN', country: 'GH', ported: false, dnd: false },
      sources: { operator: 'none', country: 'cache', ported: 'registry', dnd: 'cache' },
      providerSilent: true,
    });
  });
});
