import { networks } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SenderRegistration, SenderRegistrations } from '../senders/sender-registrations.js';
import {
  decideRoute,
  hasRoute,
  noRouteError,
  type Route,
  type RouteSubject,
  routeTable,
} from './decide-route.js';

let nextId = 0;
const aRoute = (conditions: Partial<Route>, ...names: string[]): Route => ({
  id: `r${(nextId += 1)}`,
  organisationId: null,
  channel: 'sms',
  category: null,
  operator: null,
  prefix: null,
  country: null,
  targets: names.map((provider, position) => ({ provider, position, weight: 1 })),
  ...conditions,
});
const aProvider = (name: string, own: object = {}) => ({
  name,
  organisationId: null,
  channels: ['sms'] as const,
  enabled: true,
  registeredSenders: false,
  ...own,
});
const subject: RouteSubject = {
  id: 'd1',
  organisationId: 'acme',
  channel: 'sms',
  category: 'transactional',
  sender: 'Acme',
  recipient: '+2348031234567',
  portedTo: null,
};
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const providers = names.map((name) => aProvider(name));

describe('a route', () => {
  it('is the most specific: organisation, category, operator, longest prefix, country, default', () => {
    const routes = [
      aRoute({}, 'a'),
      aRoute({ country: 'NG' }, 'b'),
      aRoute({ prefix: '234' }, 'c'),
      aRoute({ prefix: '234803' }, 'd'),
      aRoute({ operator: 'MTN' }, 'e'),
      aRoute({ category: 'otp' }, 'f'),
      aRoute({ organisationId: 'acme' }, 'g'),
    ];
    const winners: string[] = [];
    let left = routes;
    while (left.length > 0) {
      const {
        route,
        providers: [name = ''],
      } = decideRoute(routeTable(left, providers), {
        ...subject,
        category: 'otp',
      });
      winners.push(name);
      left = left.filter((other) => other !== route);
    }
    expect(winners).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a']);
  });

  it('matches only deliveries that meet all its conditions', () => {
    const table = routeTable(
      [
        aRoute({ organisationId: 'other' }, 'a'),
        aRoute({ channel: 'whatsapp' }, 'a'),
        aRoute({ category: 'otp' }, 'a'),
        aRoute({ prefix: '2348031234568' }, 'a'),
        aRoute({ country: 'GH' }, 'a'),
        aRoute({ operator: 'Airtel' }, 'a'),
        aRoute({ operator: 'MTN', prefix: '234806' }, 'a'),
      ],
      providers,
    );
    expect(decideRoute(table, subject)).toEqual({ route: undefined, providers: [], unusable: [] });
    expect(hasRoute(table, subject)).toBe(true);
    expect(hasRoute(table, { ...subject, channel: 'whatsapp' })).toBe(false);
  });

  it('leaves out providers that cannot be used, and does not fall back to a less specific route', () => {
    const table = routeTable(
      [aRoute({}, 'f'), aRoute({ country: 'NG' }, 'off', 'foreign', 'chat', 'gone')],
      [
        ...providers,
        aProvider('off', { enabled: false }),
        aProvider('foreign', { organisationId: 'other' }),
        aProvider('chat', { channels: ['whatsapp'] }),
      ],
    );
    const decision = decideRoute(table, subject);
    expect(decision.providers).toEqual([]);
    expect(decision.unusable.map(({ provider }) => provider)).toEqual(['off', 'foreign', 'chat', 'gone']);
  });

  it('shares first attempts by weight, and keeps the order of positions', () => {
    const targets = [
      { provider: 'a', position: 0, weight: 80 },
      { provider: 'b', position: 0, weight: 20 },
      { provider: 'c', position: 1, weight: 1 },
    ];
    const table = routeTable([aRoute({ targets })], providers);
    const rounds = Array.from(
      { length: 5_000 },
      (_, index) => decideRoute(table, { ...subject, id: `delivery-${index}` }).providers,
    );
    expect(rounds.every((round) => round.length === 3 && round[2] === 'c')).toBe(true);
    const share = rounds.filter(([first]) => first === 'a').length / rounds.length;
    expect(Math.abs(share - 0.8)).toBeLessThan(0.03);
  });

  it.each([
    ['+2348031234567', null, 'MTN'],
    ['+2347025123456', null, 'MTN'],
    ['+2348091234567', null, '9mobile'],
    ['+2348031234567', 'Airtel', 'Airtel'],
    ['+2348031234567', 'airtel', 'Airtel'],
    ['+2348031234567', 'Smile', undefined],
    ['+2347000000002', null, undefined],
    ['+2348192234567', null, undefined],
    ['+233241234567', 'MTN', undefined],
  ])('of %s, ported to %s, is the one of the network %s', (recipient, portedTo, network) => {
    const table = routeTable(
      networks.map((operator) => aRoute({ operator }, 'a')),
      providers,
    );
    expect(decideRoute(table, { ...subject, recipient, portedTo }).route?.operator).toBe(network);
  });

  const condition = fc.record({
    organisationId: fc.constantFrom(null, 'acme', 'other'),
    category: fc.constantFrom(null, 'otp', 'promotional'),
    operator: fc.constantFrom(null, 'MTN', 'Airtel'),
    prefix: fc.constantFrom(null, '2', '234', '2348031', '447'),
    country: fc.constantFrom(null, 'NG', 'GB'),
    targets: fc.uniqueArray(
      fc.record({
        provider: fc.constantFrom(...names),
        position: fc.nat(2),
        weight: fc.integer({ min: 1, max: 9 }),
      }),
      { selector: ({ provider }) => provider, minLength: 1 },
    ),
  });
  const delivery = fc.record({
    id: fc.uuid(),
    organisationId: fc.constantFrom('acme', 'third'),
    channel: fc.constant('sms' as const),
    sender: fc.constant('Acme'),
    category: fc.constantFrom('otp' as const, 'transactional' as const, 'promotional' as const),
    recipient: fc.constantFrom('+2348031234567', '+447400123456', '+14155552671'),
    portedTo: fc.constantFrom(null, 'MTN', 'Airtel', 'Smile'),
  });
  const routesOf = (conditions: readonly Partial<Route>[]): Route[] =>
    conditions.map((own) => aRoute(own.prefix == null ? own : { ...own, country: null }));
  const countries = new Map([
    ['+2348031234567', 'NG'],
    ['+447400123456', 'GB'],
    ['+14155552671', 'US'],
  ]);

  it('has the highest precedence of all matching routes, by an independent comparison', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 12 }), delivery, (conditions, given) => {
        const routes = routesOf(conditions);
        const country = countries.get(given.recipient);
        const operator = country === 'NG' ? (given.portedTo ?? 'MTN') : undefined;
        const isMatch = (route: Route): boolean =>
          (route.organisationId === null || route.organisationId === given.organisationId) &&
          (route.category === null || route.category === given.category) &&
          (route.operator === null || route.operator === operator) &&
          given.recipient.startsWith(`+${route.prefix ?? ''}`) &&
          (route.country === null || route.country === country);
        // Each digit counts more than all that follow.
        const score = (route: Route): number =>
          [route.organisationId, route.category, route.operator].reduce(
            (sum, value) => sum * 100 + (value === null ? 0 : 1),
            0,
          ) *
            10_000 +
          (route.prefix?.length ?? 0) * 100 +
          (route.country === null ? 0 : 1);
        const best = Math.max(...routes.filter(isMatch).map(score));
        const { route } = decideRoute(routeTable(routes, providers), given);
        expect(route ? [isMatch(route), score(route)] : [true, -Infinity]).toEqual([true, best]);
      }),
    );
  });

  it('does not depend on the order of the rows, or on the attempt', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 8 }), delivery, (conditions, given) => {
        const routes = routesOf(conditions);
        const decision = decideRoute(routeTable(routes, providers), given);
        expect(decideRoute(routeTable(routes.toReversed(), providers), given)).toEqual(decision);
        expect(decision.providers.toSorted()).toEqual(
          (decision.route?.targets ?? []).map(({ provider }) => provider).toSorted(),
        );
        const positions = decision.providers.map(
          (name) => decision.route?.targets.find(({ provider }) => provider === name)?.position ?? 0,
        );
        expect(positions).toEqual(positions.toSorted((one, other) => one - other));
        if (decision.route) expect(hasRoute(routeTable(routes, providers), given)).toBe(true);
      }),
    );
  });
});

describe('a sender', () => {
  const strict = { registeredSenders: true };
  const registered = (
    provider: string,
    status: SenderRegistration['status'],
    organisationId: string | null = null,
  ): SenderRegistration => ({ provider, organisationId, sender: 'Acme', originator: null, status });
  const tableOf = (...registrations: SenderRegistration[]) =>
    routeTable(
      [aRoute({}, 'a', 'b')],
      [aProvider('a', strict), aProvider('b')],
      new SenderRegistrations(registrations),
    );
  const providersOf = (...registrations: SenderRegistration[]) =>
    decideRoute(tableOf(...registrations), subject).providers;

  it.each<[string, SenderRegistration[], string[]]>([
    ['needs no registration where none is required', [], ['b']],
    ['is used where it is approved', [registered('a', 'approved')], ['a', 'b']],
    ['is not used where it is pending', [registered('a', 'pending')], ['b']],
    [
      'is not used where it was rejected, even if no registration is required',
      [registered('b', 'rejected')],
      [],
    ],
    ['may be approved for one organisation', [registered('a', 'approved', 'acme')], ['a', 'b']],
    ['of another organisation does not count', [registered('a', 'approved', 'other')], ['b']],
    [
      'of the organisation decides before that of all',
      [registered('a', 'approved'), registered('a', 'rejected', 'acme')],
      ['b'],
    ],
  ])('%s', (_, registrations, expected) => {
    expect(providersOf(...registrations)).toEqual(expected);
  });

  it('is compared exactly', () => {
    const table = tableOf(registered('a', 'approved'));
    expect(decideRoute(table, { ...subject, sender: 'ACME' }).providers).toEqual(['b']);
    expect(decideRoute(table, { ...subject, sender: 'Acme\n' }).providers).toEqual(['b']);
  });

  it('that no provider accepts is an error of the request; a missing route is an error of the operator', () => {
    const only = routeTable(
      [aRoute({ country: 'NG' }, 'a'), aRoute({ country: 'GB' }, 'b'), aRoute({ country: 'GH' }, 'off')],
      [aProvider('a', strict), aProvider('b'), aProvider('off', { ...strict, enabled: false })],
    );
    const to = (recipient: string) => noRouteError(only, subject, { recipient, portedTo: null });
    expect(to(subject.recipient)).toMatchObject({
      status: 400,
      fields: [
        {
          field: 'sender_id',
          type: 'sender_not_approved',
          message:
            'sender_id Acme is not approved by any provider for numbers of NG (+234): use another one, or ask the operator to register it',
        },
      ],
    });
    expect(to('+233241234567')).toMatchObject({ status: 503 });
    expect(to('+14155552671')).toMatchObject({ status: 503 });
    const otp = noRouteError(only, { ...subject, category: 'otp' }, subject);
    expect(otp.fields).toMatchObject([
      { field: 'recipient', message: expect.stringContaining('OTPs are sent as') },
    ]);
    // The recipients of a smartlist are not known: some of them may have a provider.
    expect(hasRoute(only, subject)).toBe(true);
    const none = routeTable([aRoute({}, 'a')], [aProvider('a', strict)]);
    expect(hasRoute(none, subject)).toBe(false);
    expect(noRouteError(none, subject)).toMatchObject({ status: 400 });
    expect(noRouteError(routeTable([], []), subject)).toMatchObject({ status: 503 });
  });
});
