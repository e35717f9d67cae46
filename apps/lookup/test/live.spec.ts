import { newContext, newId } from '@gangan/protocol';
import { isFullSuite, until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestLookup, type Worker } from './support/test-lookup.js';
import { respondWith, hang, secret } from './support/fake-provider.js';

const reported = { operator: 'Glo', country: 'NG', ported: true, dnd: true };
const planned = { operator: 'MTN', country: 'NG', ported: false, dnd: false };
const fromProvider = { operator: 'live', country: 'plan', ported: 'live', dnd: 'live' };
const fromCache = { operator: 'cache', country: 'plan', ported: 'cache', dnd: 'cache' };
const fromHere = { operator: 'plan', country: 'plan', ported: 'registry', dnd: 'registry' };

describe('live lookups', () => {
  let lookups: TestLookup;
  let worker: Worker;
  let organisation: string;
  beforeAll(async () => {
    lookups = await TestLookup.open();
    worker = await lookups.worker();
    organisation = await lookups.organisation();
  });
  afterAll(() => lookups.close());
  beforeEach(async () => {
    lookups.provider.reset();
    await lookups.setPrice(0n);
  });

  let last = 1_000_000;
  const newPhone = () => `+234803${String((last += 1))}`;
  const providers = () => worker.providers.usableBy(organisation);
  const keyOf = (e164: string) => ({ phone: { e164 }, providers: providers() });

  it('call the provider once, as its file describes, and cache the result', async () => {
    const phone = newPhone();
    expect(await worker.lookup(phone, organisation)).toEqual({
      found: { msisdn: phone, ...reported },
      sources: fromProvider,
    });
    expect(await worker.lookup(phone, organisation)).toEqual({
      found: { msisdn: phone, ...reported },
      sources: fromCache,
    });
    expect(lookups.provider.requests).toEqual([
      { url: `/${phone.slice(1)}`, authorization: `Bearer ${secret}` },
    ]);
  });

  it('are cached for all workers: DND for an hour, the rest for a day', async () => {
    const phone = newPhone();
    const other = await lookups.worker();
    await worker.lookup(phone, organisation);
    await lookups.pass('59 minutes');
    expect(await other.lookup(phone, organisation)).toMatchObject({ sources: fromCache });
    await lookups.pass('2 minutes');
    lookups.provider.behave = respondWith({}, 500);
    expect(await other.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'Glo', ported: true, dnd: false },
      sources: { operator: 'cache', ported: 'cache', dnd: 'registry' },
      providerSilent: true,
    });
    lookups.provider.behave = respondWith({ dnd: false });
    expect(await other.lookup(phone, organisation)).toMatchObject({
      found: { dnd: false },
      sources: fromProvider,
    });
    await lookups.pass('25 hours');
    await other.lookup(phone, organisation);
    expect(lookups.provider.requests).toHaveLength(4);
  });

  it('share one call between many lookups of one number in two workers', async () => {
    const phone = newPhone();
    const workers = [worker, await lookups.worker()];
    const count = isFullSuite ? 1_000 : 200;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => (workers[n % 2] as Worker).lookup(phone, organisation)),
    );
    expect(lookups.provider.requests).toHaveLength(1);
    expect(answers.filter(({ found }) => found?.operator === 'Glo' && found.dnd)).toHaveLength(count);
  });

  it('cache that the provider does not know a number', async () => {
    lookups.provider.behave = respondWith({}, 404);
    const phone = newPhone();
    const answer = await worker.lookup(phone, organisation);
    expect(answer).toEqual({
      found: { msisdn: phone, ...planned },
      sources: fromHere,
    });
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: fromHere });
    expect(lookups.provider.requests).toHaveLength(1);
  });

  it('are not made for test organisations, nor without a configured provider', async () => {
    const test = await lookups.organisation(0n, 'test');
    const without = await lookups.worker({ withProvider: false });
    for (const answer of [
      await worker.lookup(newPhone(), test),
      await without.lookup(newPhone(), organisation),
    ]) {
      expect(answer).toMatchObject({ found: planned, sources: fromHere });
    }
    expect(lookups.provider.requests).toHaveLength(0);
  });

  it.each([
    ['hangs', hang, /no_answer.*timeout/],
    [
      'breaks off',
      (request: { socket: { destroy(): void } }) => {
        request.socket.destroy();
      },
      /no_answer.*reset/,
    ],
    ['answers 500', respondWith({}, 500), /"status":500/],
    ['redirects', respondWith({}, 302), /"status":302/],
    [
      'does not return JSON',
      (_: unknown, response: { end(text: string): void }) => {
        response.end('<html>');
      },
      /unreadable_answer/,
    ],
    ['returns too much', respondWith({ filler: 'x'.repeat(70_000) }), /unreadable_answer/],
  ])('get a reply without a provider that %s, and no secret is logged', async (_, behave, reason) => {
    lookups.provider.behave = behave;
    const own = await lookups.worker({ timeoutMs: behave === hang ? 300 : 30_000 });
    lookups.log.length = 0;
    const phone = newPhone();
    expect(await own.lookup(phone, organisation)).toEqual({
      found: { msisdn: phone, ...planned },
      sources: fromHere,
      providerSilent: true,
    });
    expect(lookups.log).toEqual([expect.stringMatching(reason)]);
    expect(lookups.log.join()).not.toMatch(new RegExp(`${secret}|${phone.slice(1)}`));
    // The claim was released.
    lookups.provider.behave = respondWith({});
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: fromProvider });
  });

  it('pause calls to a provider that keeps failing', async () => {
    lookups.log.length = 0;
    lookups.provider.behave = respondWith({}, 503);
    const unlucky = await lookups.worker();
    for (let n = 0; n < 12; n += 1) {
      expect(await unlucky.lookup(newPhone(), organisation)).toMatchObject({ providerSilent: true });
    }
    expect(lookups.provider.requests).toHaveLength(5);
    expect(lookups.log.filter((line) => line.includes('calls are paused'))).toHaveLength(1);
  });

  it.each([
    ['rejects a number', respondWith({}, 400)],
    [
      'returns another document',
      (_: unknown, response: { end(text: string): void }) => {
        response.end('{"error":"quota exceeded"}');
      },
    ],
  ])('do not pause calls to a provider that %s', async (_, behave) => {
    const own = await lookups.worker();
    lookups.provider.behave = behave;
    const phones = Array.from({ length: 8 }, newPhone);
    for (const phone of phones) {
      expect(await own.lookup(phone, organisation)).toMatchObject({
        sources: fromHere,
        providerSilent: true,
      });
    }
    expect(lookups.provider.requests).toHaveLength(8);
    lookups.provider.behave = respondWith({});
    // Nothing was cached.
    expect(await own.lookup(phones[0] ?? '', organisation)).toMatchObject({ sources: fromProvider });
  });

  it.each([401, 403, 408, 429])('pause calls to a provider that keeps returning %d', async (status) => {
    lookups.provider.behave = respondWith({}, status);
    const unlucky = await lookups.worker();
    for (let n = 0; n < 7; n += 1) await unlucky.lookup(newPhone(), organisation);
    expect(lookups.provider.requests).toHaveLength(5);
  });

  it('wait for a worker that died during its call only as long as for the provider', async () => {
    const phone = newPhone();
    const hasty = await lookups.worker({ timeoutMs: 300 });
    await hasty.findings.claim(keyOf(phone), 60_000);
    expect(await hasty.lookup(phone, organisation)).toMatchObject({ found: planned, providerSilent: true });
    expect(lookups.provider.requests).toHaveLength(0);
  });

  it('release only their own claim', async () => {
    const phone = newPhone();
    const late = (await worker.findings.claim(keyOf(phone), 1)) ?? '';
    expect(late).not.toBe('');
    await until('the claim expires', async () => !(await worker.findings.find(keyOf(phone))).beingAsked);
    const owner = (await worker.findings.claim(keyOf(phone), 60_000)) ?? '';
    expect(owner).not.toBe('');
    await worker.findings.release(phone, late);
    expect(await worker.findings.find(keyOf(phone))).toMatchObject({ beingAsked: true });
    const [provider] = providers();
    if (!provider) throw new Error('no provider');
    await worker.findings.store(phone, late, {
      organisationId: organisation,
      provider,
      finding: { operator: 'Glo' },
      cost: undefined,
    });
    expect(await worker.findings.find(keyOf(phone))).toMatchObject({ beingAsked: true, complete: true });
    await worker.findings.release(phone, owner);
    expect(await worker.findings.find(keyOf(phone))).toMatchObject({ beingAsked: false });
  });

  it('ignore findings of another provider or other rules', async () => {
    const phone = newPhone();
    await worker.lookup(phone, organisation);
    await lookups.database.$executeRaw`UPDATE live_finding SET provider = 'other' WHERE phone = ${phone}`;
    lookups.provider.behave = respondWith({ network: 'Airtel' });
    expect(await worker.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'Airtel' },
      sources: fromProvider,
    });
  });

  it('are deleted when they have expired', async () => {
    const phone = newPhone();
    await worker.lookup(phone, organisation);
    await worker.retention.prune();
    expect(await lookups.database.liveFinding.findUnique({ where: { phone } })).not.toBeNull();
    await lookups.pass('25 hours');
    await worker.retention.prune();
    expect(await lookups.database.liveFinding.count()).toBe(0);
  });

  describe('with a price', () => {
    let paid: Worker;
    beforeEach(async () => {
      await lookups.setPrice(150n);
      paid = await lookups.worker();
    });

    it('are charged after a call, and free from the cache', async () => {
      const rich = await lookups.organisation(1_000n);
      const phone = newPhone();
      await Promise.all(Array.from({ length: 20 }, () => paid.lookup(phone, rich)));
      await paid.lookup(phone, rich);
      expect(await lookups.balance(rich)).toBe(850n);
      const again = newId();
      const other = newPhone();
      await paid.lookup(other, rich, again);
      await lookups.pass('25 hours');
      // The queue runs a request twice.
      await paid.lookup(other, rich, again);
      expect(await lookups.balance(rich)).toBe(700n);
      await lookups.expectSoundLedger();
    });

    it('are rejected for an organisation that cannot pay, without effect on others', async () => {
      const [poor, rich] = [await lookups.organisation(149n), await lookups.organisation(150n)];
      const phone = newPhone();
      const outcomes = await Promise.allSettled([
        paid.lookup(phone, poor),
        paid.lookup(phone, rich),
        paid.lookup(phone, poor),
      ]);
      expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { found: reported } });
      // The first caller pays; those who share its call do not.
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      for (const outcome of refused) expect(outcome).toMatchObject({ reason: { status: 402 } });
      expect(lookups.provider.requests).toHaveLength(1);
      expect([await lookups.balance(poor), await lookups.balance(rich)]).toEqual([149n, 0n]);
      await lookups.expectSoundLedger();
    });

    it('never call the provider for an organisation that cannot pay', async () => {
      const poor = await lookups.organisation(149n);
      for (let n = 0; n < 8; n += 1) {
        await expect(paid.lookup(newPhone(), poor)).rejects.toMatchObject({ code: 'insufficient_balance' });
      }
      expect(lookups.provider.requests).toHaveLength(0);
      const rich = await lookups.organisation(150n);
      expect(await paid.lookup(newPhone(), rich)).toMatchObject({ sources: fromProvider });
    });

    it('are refunded if the provider did not answer, and not reserved while calls are paused', async () => {
      const rich = await lookups.organisation(1_000n);
      lookups.provider.behave = respondWith({}, 500);
      for (let n = 0; n < 7; n += 1) await paid.lookup(newPhone(), rich);
      expect(await lookups.balance(rich)).toBe(1_000n);
      const returned = await lookups.database.ledgerMovement.count({
        where: { organisationId: rich, kind: 'void' },
      });
      expect(returned).toBe(5);
      expect(await lookups.database.lookupReservation.count()).toBe(0);
      await lookups.expectSoundLedger();
    });

    it.each([
      ['refunded', respondWith({}, 500), 1_000n],
      ['charged', respondWith({}), 850n],
    ])('are %s after the lock of the wallet is released', async (_, answer, balance) => {
      const rich = await lookups.organisation(1_000n);
      let unlock: () => Promise<void> = () => Promise.resolve();
      lookups.provider.behave = (request, response) => {
        void lookups.holdWallet(rich).then((release) => {
          unlock = release;
          answer(request, response);
        });
      };
      expect(await paid.lookup(newPhone(), rich)).toHaveProperty('found');
      expect(await lookups.reserved(rich)).toBe(150n);
      // The wallet is still locked: the reservation stays.
      await lookups.passReservations();
      expect(await paid.charges.settleDue(10)).toBe(1);
      expect(await lookups.reserved(rich)).toBe(150n);
      await unlock();
      await lookups.passReservations();
      expect(await paid.charges.settleDue(10)).toBe(1);
      expect([await lookups.balance(rich), await lookups.reserved(rich)]).toEqual([balance, 0n]);
      expect(await lookups.database.lookupReservation.count()).toBe(0);
      await lookups.expectSoundLedger();
    });

    it('are refunded as soon as other processes notice that their worker died', async () => {
      const rich = await lookups.organisation(1_000n);
      await paid.charges.reserve(newContext({ organisationId: rich, operationId: newId() }), newPhone());
      const { holder } = paid;
      const takeOver = (dead: bigint) =>
        lookups.database.transaction((transaction) => holder.takeOver(transaction, dead));
      expect(await takeOver(holder.id + 1n)).toEqual({ lookup_reservation: 0, lookup_batch: 0 });
      expect(await takeOver(holder.id)).toEqual({ lookup_reservation: 1, lookup_batch: 0 });
      expect(await paid.charges.settleDue(10)).toBe(1);
      expect([await lookups.balance(rich), await lookups.reserved(rich)]).toEqual([1_000n, 0n]);
      await lookups.expectSoundLedger();
    });

    it('are refunded if their worker died, also after a second lookup', async () => {
      const rich = await lookups.organisation(1_000n);
      const [context, phone] = [newContext({ organisationId: rich, operationId: newId() }), newPhone()];
      await paid.charges.reserve(context, phone);
      expect(await paid.charges.settleDue(10)).toBe(0);
      expect([await lookups.balance(rich), await lookups.reserved(rich)]).toEqual([850n, 150n]);
      await lookups.passReservations();
      await Promise.all([paid.charges.settleDue(10), paid.charges.settleDue(10)]);
      expect([await lookups.balance(rich), await lookups.reserved(rich)]).toEqual([1_000n, 0n]);
      await lookups.expectSoundLedger();

      const second = newContext({ organisationId: rich, operationId: newId() });
      await paid.charges.reserve(second, phone);
      await paid.lookup(phone, rich, second.operationId);
      await lookups.passReservations();
      await paid.charges.settleDue(10);
      expect([await lookups.balance(rich), await lookups.reserved(rich)]).toEqual([850n, 0n]);
      await lookups.expectSoundLedger();
    });

    it('delay no other organisation while they wait for a wallet', async () => {
      const [stuck, rich] = [await lookups.organisation(150n), await lookups.organisation(150n)];
      const phone = newPhone();
      const unlock = await lookups.holdWallet(stuck);
      await expect(paid.lookup(phone, stuck)).rejects.toThrow();
      expect(await lookups.database.liveFinding.findUnique({ where: { phone } })).toBeNull();
      expect(await paid.lookup(phone, rich)).toMatchObject({ sources: fromProvider });
      await unlock();
      await lookups.expectSoundLedger();
    });

    it('are always charged without a provider', async () => {
      const test = await lookups.organisation(300n, 'test');
      const phone = newPhone();
      const again = newId();
      await paid.lookup(phone, test, again);
      await paid.lookup(phone, test, again);
      await paid.lookup(phone, test);
      expect(await lookups.balance(test)).toBe(0n);
      await expect(paid.lookup(phone, test)).rejects.toMatchObject({ status: 402 });
      await lookups.expectSoundLedger();
    });
  });
});
