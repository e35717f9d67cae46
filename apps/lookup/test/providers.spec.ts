import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeProvider, hang, respondWith, secret } from './support/fake-provider.js';
import { TestLookup, type Worker } from './support/test-lookup.js';

const fromProvider = { operator: 'live', country: 'plan', ported: 'live', dnd: 'live' };

describe('stored lookup providers', () => {
  let lookups: TestLookup;
  let worker: Worker;
  let second: FakeProvider;
  let organisation: string;
  beforeAll(async () => {
    lookups = await TestLookup.open();
    second = await FakeProvider.open();
    organisation = await lookups.organisation(10_000n);
  });
  afterAll(async () => {
    await second.close();
    await lookups.close();
  });
  beforeEach(async () => {
    for (const provider of [lookups.provider, second]) provider.reset();
    await lookups.setPrice(0n);
  });
  afterEach(() => lookups.removeProviders());

  let last = 2_000_000;
  const newPhone = () => `+234803${String((last += 1))}`;
  const secrets = { key: secret };
  const settingsOf = (provider: FakeProvider, change: object = {}) => ({
    request: { method: 'GET', url: `${provider.url}/{phone_digits}`, bearer: '{secret.key}' },
    answer: { code: '/code', message: '/message' },
    outcomes: [
      { status: 404, outcome: 'not_found' },
      { text: 'no credit', outcome: 'account' },
      { status: 422, outcome: 'failed' },
    ],
    finding: {
      operator: { pointer: '/network', values: { 'GLO Mobile': 'Glo' } },
      ported: { pointer: '/ported', values: { Y: true, N: false } },
      dnd: { pointer: '/dnd' },
    },
    allowPrivate: true,
    ...change,
  });
  const start = async (options: { timeoutMs?: number; maxTotalMs?: number } = {}) => {
    worker = await lookups.worker({ withProvider: false, ...options });
    lookups.log.length = 0;
  };
  const metric = async (provider: string, outcome: string) =>
    (await lookups.registry.metrics()).includes(
      `gangan_lookup_provider_calls_total{provider="${provider}",outcome="${outcome}"}`,
    );

  it('are asked with their secrets, and their findings are cached', async () => {
    await lookups.addProvider('hlr', settingsOf(lookups.provider), { secrets });
    await start();
    const phone = newPhone();
    expect(await worker.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'Glo', ported: true, dnd: true },
      sources: fromProvider,
    });
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: { operator: 'cache' } });
    expect(lookups.provider.requests).toEqual([
      { url: `/${phone.slice(1)}`, authorization: `Bearer ${secret}` },
    ]);
  });

  it('are counted with what each answered call costs, by organisation and provider', async () => {
    await lookups.database.lookupTally.deleteMany();
    const other = await lookups.organisation(10_000n);
    const cost = {
      currency: 'NGN',
      perPart: { any: 5, '234803': '1.500001' },
      price: '/price',
      priceCurrency: '/unit',
    };
    await lookups.addProvider('hlr', settingsOf(lookups.provider, { cost }), { secrets });
    await start();
    const phones = Array.from({ length: 20 }, newPhone);
    // Twice at once: the second lookup shares the call, or gets its result.
    await Promise.all([...phones, ...phones].map((phone) => worker.lookup(phone, organisation)));
    lookups.provider.behave = respondWith({}, 404);
    await worker.lookup('+447911123456', other);
    lookups.provider.behave = respondWith({ dnd: true, price: '0.0100', unit: 'EUR' });
    for (let count = 0; count < 3; count += 1) await worker.lookup(newPhone(), organisation);
    lookups.provider.behave = respondWith({}, 500);
    await worker.lookup(newPhone(), organisation);
    const tallies = await lookups.database.lookupTally.findMany({ orderBy: { currency: 'asc' } });
    const counted = (id: string) =>
      tallies
        .filter(({ organisationId }) => organisationId === id)
        .map(({ provider, currency, calls, micros }) => [provider, currency, calls, micros]);
    expect(counted(organisation)).toEqual([
      ['hlr', 'EUR', 3n, 30_000n],
      ['hlr', 'NGN', 20n, 30_000_020n],
    ]);
    expect(counted(other)).toEqual([['hlr', 'NGN', 1n, 5_000_000n]]);
  });

  it('without a price are counted, too', async () => {
    await lookups.database.lookupTally.deleteMany();
    await lookups.addProvider('hlr', settingsOf(lookups.provider), { secrets });
    await start();
    await worker.lookup(newPhone(), organisation);
    expect(await lookups.database.lookupTally.findMany()).toMatchObject([
      { currency: '', calls: 1n, micros: 0n },
    ]);
  });

  it('are added, changed, disabled and removed without a restart', async () => {
    await start();
    const uses = async () => (await worker.lookup(newPhone(), organisation)).sources?.operator === 'live';
    expect(await uses()).toBe(false);
    await lookups.addProvider('hlr', settingsOf(lookups.provider), { secrets });
    await worker.providers.refresh();
    expect(await uses()).toBe(true);
    await lookups.database.provider.updateMany({ data: { enabled: false } });
    await worker.providers.refresh();
    expect(await uses()).toBe(false);
    await lookups.database.provider.updateMany({
      data: { enabled: true, domains: ['message'], channels: ['sms'] },
    });
    await worker.providers.refresh();
    expect(await uses()).toBe(false);
  });

  it('that cannot be used are logged once and ignored', async () => {
    await lookups.addProvider('broken', { request: {} });
    await lookups.addProvider('hlr', settingsOf(lookups.provider), { secrets });
    worker = await lookups.worker({ withProvider: false });
    await worker.providers.refresh();
    expect(lookups.log.filter((line) => line.includes('cannot be used'))).toHaveLength(1);
    expect(worker.providers.usableBy(organisation).map(({ name }) => name)).toEqual(['hlr']);
  });

  const ownersOf = async (phone: string) =>
    (await lookups.database.liveFinding.findMany({ where: { phone } })).map(
      ({ organisationId }) => organisationId,
    );

  it('of an organisation are asked first, and only for it', async () => {
    const other = await lookups.organisation();
    await lookups.addProvider('a-shared', settingsOf(lookups.provider), { secrets });
    await lookups.addProvider('own', settingsOf(second), { secrets, organisationId: organisation });
    await start();
    const phone = newPhone();
    await worker.lookup(phone, organisation);
    expect([second.requests.length, lookups.provider.requests.length]).toEqual([1, 0]);
    expect(await ownersOf(phone)).toEqual([organisation]);
    // What the provider of one organisation reported does not count for others.
    expect(await worker.lookup(phone, other)).toMatchObject({ sources: fromProvider });
    expect([second.requests.length, lookups.provider.requests.length]).toEqual([1, 1]);
    expect(await ownersOf(phone)).toEqual([null]);
    // A finding of a shared provider counts for all.
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: { operator: 'cache' } });
  });

  it.each([
    ['answers 500', respondWith({}, 500), 'unknown'],
    ['answers 503', respondWith({}, 503), 'transient'],
    ['throttles', respondWith({}, 429), 'throttled'],
    ['hangs', hang, 'unknown'],
    ['has no credit for us', respondWith({ message: 'No credit left' }, 400), 'account'],
    ['refuses our credentials', respondWith({}, 401), 'account'],
    ['refuses the request for a reason that no rule lists', respondWith({}, 400), 'transient'],
  ])('are followed by the next if the first %s', async (_, behave, outcome) => {
    await lookups.addProvider('a', settingsOf(lookups.provider), { secrets });
    await lookups.addProvider('b', settingsOf(second), { secrets });
    await start(behave === hang ? { timeoutMs: 1_500 } : {});
    lookups.provider.behave = behave;
    second.behave = respondWith({ network: 'Airtel' });
    const phone = newPhone();
    expect(await worker.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'Airtel' },
      sources: fromProvider,
    });
    expect(await worker.lookup(phone, organisation)).toMatchObject({ found: { operator: 'Airtel' } });
    expect([lookups.provider.requests.length, second.requests.length]).toEqual([1, 1]);
    expect([await metric('a', outcome), await metric('b', 'accepted')]).toEqual([true, true]);
    await worker.counts.store();
    expect(
      await lookups.database.providerHealth.findMany({ orderBy: { notAccepted: 'desc' } }),
    ).toMatchObject([
      { submitted: 1, notAccepted: 1 },
      { submitted: 1, notAccepted: 0 },
    ]);
  });

  it('that refuse a number by a rule are not followed by the next', async () => {
    await lookups.addProvider('a', settingsOf(lookups.provider), { secrets });
    await lookups.addProvider('b', settingsOf(second), { secrets });
    await start();
    lookups.provider.behave = respondWith({}, 422);
    expect(await worker.lookup(newPhone(), organisation)).toMatchObject({ providerSilent: true });
    expect(second.requests).toHaveLength(0);
  });

  it('are asked only for the time that is left after the wait for another worker', async () => {
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await lookups.addProvider(name, settingsOf(second), { secrets });
    await start({ timeoutMs: 500, maxTotalMs: 2_000 });
    second.behave = hang;
    const phone = newPhone();
    // Another worker died during its call.
    const key = { phone: { e164: phone }, providers: worker.providers.usableBy(organisation) };
    expect(await worker.findings.claim(key, 1_200)).toBeDefined();
    expect(await worker.lookup(phone, organisation)).toMatchObject({ providerSilent: true });
    expect(second.requests.length).toBeLessThan(names.length);
  });

  it('that refuse our account are logged as errors, and nothing is charged or cached', async () => {
    await lookups.setPrice(150n);
    await lookups.addProvider('hlr', settingsOf(lookups.provider), { secrets });
    await start();
    const phone = newPhone();
    lookups.provider.behave = respondWith({ message: `No credit for ${phone} left`, key: secret }, 402);
    expect(await worker.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'MTN' },
      providerSilent: true,
    });
    expect(lookups.log).toEqual([expect.stringMatching(/refuses our account.*"outcome":"account".*402/)]);
    expect(lookups.log.join()).not.toMatch(new RegExp(`${secret}|${phone.slice(1)}`));
    expect(await lookups.balance(organisation)).toBe(10_000n);
    lookups.provider.behave = respondWith({});
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: fromProvider });
    expect(await lookups.balance(organisation)).toBe(9_850n);
    await lookups.expectSoundLedger();
  });

  it('are not called at private addresses unless their settings allow it', async () => {
    const guarded = settingsOf(lookups.provider, { allowPrivate: false });
    const request = { ...guarded.request, url: guarded.request.url.replace('http:', 'https:') };
    await lookups.addProvider('hlr', { ...guarded, request }, { secrets });
    await start();
    expect(await worker.lookup(newPhone(), organisation)).toMatchObject({ providerSilent: true });
    expect(lookups.log).toEqual([expect.stringContaining('refused_address')]);
    expect(lookups.provider.requests).toHaveLength(0);
  });

  it('report line type and roaming, which is valid for an hour', async () => {
    const finding = {
      ...settingsOf(lookups.provider).finding,
      lineType: { pointer: '/type', values: { M: 'mobile' } },
      roaming: { pointer: '/roaming' },
    };
    await lookups.addProvider('hlr', settingsOf(lookups.provider, { finding }), { secrets });
    await start();
    lookups.provider.behave = respondWith({ type: 'M', roaming: true });
    const phone = newPhone();
    expect(await worker.lookup(phone, organisation)).toMatchObject({
      found: { line_type: 'mobile', roaming: true },
      sources: { line_type: 'live', roaming: 'live' },
    });
    const key = { phone: { e164: phone }, providers: worker.providers.usableBy(organisation) };
    expect((await worker.findings.find(key)).finding).toMatchObject({ lineType: 'mobile', roaming: true });
    await lookups.pass('61 minutes');
    expect(await worker.findings.find(key)).toMatchObject({
      complete: false,
      finding: { lineType: 'mobile' },
    });
    expect((await worker.findings.find(key)).finding).not.toHaveProperty('roaming');
  });

  it('are not asked again within a day because roaming has expired', async () => {
    const finding = { operator: { pointer: '/network' }, roaming: { pointer: '/roaming' } };
    await lookups.addProvider('hlr', settingsOf(lookups.provider, { finding }), { secrets });
    await start();
    lookups.provider.behave = respondWith({ roaming: true });
    const phone = newPhone();
    await worker.lookup(phone, organisation);
    await lookups.pass('61 minutes');
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: { operator: 'cache' } });
    const key = { phone: { e164: phone }, providers: worker.providers.usableBy(organisation) };
    expect((await worker.findings.find(key)).finding).not.toHaveProperty('roaming');
    expect(lookups.provider.requests).toHaveLength(1);
    await lookups.pass('24 hours');
    await worker.lookup(phone, organisation);
    expect(lookups.provider.requests).toHaveLength(2);
  });

  it('are asked before the provider of LOOKUP_PROVIDER_FILE, which is logged as deprecated', async () => {
    await lookups.addProvider('hlr', settingsOf(second), { secrets });
    lookups.log.length = 0;
    worker = await lookups.worker();
    expect(lookups.log).toEqual([expect.stringMatching(/LOOKUP_PROVIDER_FILE will not be read/)]);
    await worker.lookup(newPhone(), organisation);
    second.behave = respondWith({}, 500);
    await worker.lookup(newPhone(), organisation);
    await until(
      'both were asked',
      () => lookups.provider.requests.length === 1 && second.requests.length === 2,
    );
  });
});
