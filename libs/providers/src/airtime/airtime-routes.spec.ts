import { describe, expect, it } from '@jest/globals';
import { decideAirtimeRoute } from './airtime-routes.js';

const target = (provider: string, organisationId: string | null = null, network: string | null = null) => ({
  provider,
  organisationId,
  network,
});
const mtn = { organisationId: 'acme', network: 'MTN' };

describe('decideAirtimeRoute', () => {
  it('has no provider without a route', () => {
    expect(decideAirtimeRoute([], mtn)).toEqual([]);
    expect(decideAirtimeRoute([target('a', 'other'), target('b', null, 'Glo')], mtn)).toEqual([]);
  });

  it('prefers the organisation, then the network', () => {
    const all = [target('any'), target('second'), target('mtn', null, 'MTN'), target('own', 'acme')];
    expect(decideAirtimeRoute(all, mtn)).toEqual(['own']);
    expect(decideAirtimeRoute(all, { ...mtn, organisationId: 'x' })).toEqual(['mtn']);
    expect(decideAirtimeRoute(all, { organisationId: 'x', network: 'Glo' })).toEqual(['any', 'second']);
    expect(decideAirtimeRoute([...all, target('best', 'acme', 'MTN')], mtn)).toEqual(['best']);
  });
});
