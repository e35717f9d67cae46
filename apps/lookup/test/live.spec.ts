import { newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bureau, type Worker } from './support/bureau.js';
import { answerWith, hang, secret } from './support/fake-provider.js';

const told = { operator: 'Glo', country: 'NG', ported: true, dnd: true };
const planned = { operator: 'MTN', country: 'NG', ported: false, dnd: false };
const fromProvider = { operator: 'live', country: 'plan', ported: 'live', dnd: 'live' };
const fromCache = { operator: 'cache', country: 'plan', ported: 'cache', dnd: 'cache' };
const fromHere = { operator: 'plan', country: 'plan', ported: 'registry', dnd: 'registry' };

describe('live look-ups', () => {
  let bureau: Bureau;
  let worker: Worker;
  let organisation: string;
  beforeAll(async () => {
    bureau = await Bureau.open();
    worker = await bureau.worker();
    organisation = await bureau.organisation();
  }, 60_000);
  afterAll(() => bureau.close());
  beforeEach(async () => {
    bureau.provider.reset();
    await bureau.setPrice(0n);
  });

  let last = 1_000_000;
  const newPhone = () => `+234803${String((last += 1))}`;

  it('ask the provider once, in the way its file says, and then remember', async () => {
    const phone = newPhone();
    expect(await worker.lookup(phone, organisation)).toEqual({
      found: { msisdn: phone, ...told },
      sources: fromProvider,
    });
    expect(await worker.lookup(phone, organisation)).toEqual({
      found: { msisdn: phone, ...told },
      sources: fromCache,
    });
    expect(bureau.provider.asked).toEqual([{ url: `/${phone.slice(1)}`, authorization: `Bearer ${secret}` }]);
  });

  it('are remembered for all workers: DND for an hour, the rest for a day', async () => {
    const phone = newPhone();
    const other = await bureau.worker();
    await worker.lookup(phone, organisation);
    await bureau.pass('59 minutes');
    expect(await other.lookup(phone, organisation)).toMatchObject({ sources: fromCache });
    await bureau.pass('2 minutes');
    bureau.provider.behave = answerWith({}, 500);
    expect(await other.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'Glo', ported: true, dnd: false },
      sources: { operator: 'cache', ported: 'cache', dnd: 'registry' },
      providerSilent: true,
    });
    bureau.provider.behave = answerWith({ dnd: false });
    expect(await other.lookup(phone, organisation)).toMatchObject({
      found: { dnd: false },
      sources: fromProvider,
    });
    await bureau.pass('25 hours');
    await other.lookup(phone, organisation);
    expect(bureau.provider.asked).toHaveLength(4);
  });

  it('make one call for a thousand who ask about one number at once, in two workers', async () => {
    const phone = newPhone();
    const workers = [worker, await bureau.worker()];
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) => (workers[n % 2] as Worker).lookup(phone, organisation)),
    );
    expect(bureau.provider.asked).toHaveLength(1);
    expect(answers.filter(({ found }) => found?.operator === 'Glo' && found.dnd)).toHaveLength(1_000);
  }, 30_000);

  it('know nothing from a provider that knows nothing, and do not ask again', async () => {
    bureau.provider.behave = answerWith({}, 404);
    const phone = newPhone();
    const answer = await worker.lookup(phone, organisation);
    expect(answer).toEqual({
      found: { msisdn: phone, ...planned },
      sources: fromHere,
    });
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: fromHere });
    expect(bureau.provider.asked).toHaveLength(1);
  });

  it('are not made for test organisations, nor where no provider is configured', async () => {
    const test = await bureau.organisation(0n, 'test');
    const without = await bureau.worker({ withProvider: false });
    for (const answer of [
      await worker.lookup(newPhone(), test),
      await without.lookup(newPhone(), organisation),
    ]) {
      expect(answer).toMatchObject({ found: planned, sources: fromHere });
    }
    expect(bureau.provider.asked).toHaveLength(0);
  });

  it.each([
    ['hangs', hang, /TaskCancelled|timed out|Operation/],
    [
      'breaks off',
      (request: { socket: { destroy(): void } }) => {
        request.socket.destroy();
      },
      /UND_ERR|ECONNRESET/,
    ],
    ['answers 500', answerWith({}, 500), /status 500/],
    ['redirects', answerWith({}, 302), /status 302/],
    [
      'answers no JSON',
      (_: unknown, response: { end(text: string): void }) => {
        response.end('<html>');
      },
      /no JSON/,
    ],
    ['never ends', answerWith({ filler: 'x'.repeat(70_000) }), /UND_ERR/],
  ])('are answered without a provider that %s, and nothing secret is logged', async (_, behave, reason) => {
    bureau.log.length = 0;
    bureau.provider.behave = behave;
    const own = await bureau.worker({ timeoutMs: behave === hang ? 300 : 4_000 });
    const phone = newPhone();
    expect(await own.lookup(phone, organisation)).toEqual({
      found: { msisdn: phone, ...planned },
      sources: fromHere,
      providerSilent: true,
    });
    expect(bureau.log).toEqual([expect.stringMatching(reason)]);
    expect(bureau.log.join()).not.toMatch(new RegExp(`${secret}|${phone.slice(1)}`));
    // Nobody is kept from asking again.
    bureau.provider.behave = answerWith({});
    expect(await worker.lookup(phone, organisation)).toMatchObject({ sources: fromProvider });
  });

  it('leave a provider alone that keeps failing', async () => {
    bureau.log.length = 0;
    bureau.provider.behave = answerWith({}, 503);
    const unlucky = await bureau.worker();
    for (let n = 0; n < 12; n += 1) {
      expect(await unlucky.lookup(newPhone(), organisation)).toMatchObject({ providerSilent: true });
    }
    expect(bureau.provider.asked).toHaveLength(5);
    expect(bureau.log.filter((line) => line.includes('left alone'))).toHaveLength(1);
  });

  it.each([
    ['refuses a number', answerWith({}, 400)],
    [
      'says something else',
      (_: unknown, response: { end(text: string): void }) => {
        response.end('{"error":"quota exceeded"}');
      },
    ],
  ])('get no answer from a provider that %s, which keeps nobody else from one', async (_, behave) => {
    const own = await bureau.worker();
    bureau.provider.behave = behave;
    const phones = Array.from({ length: 8 }, newPhone);
    for (const phone of phones) {
      expect(await own.lookup(phone, organisation)).toMatchObject({
        sources: fromHere,
        providerSilent: true,
      });
    }
    expect(bureau.provider.asked).toHaveLength(8);
    bureau.provider.behave = answerWith({});
    // Nothing of it was remembered.
    expect(await own.lookup(phones[0] ?? '', organisation)).toMatchObject({ sources: fromProvider });
  });

  it.each([401, 403, 408, 429])('leave a provider alone that keeps answering %d', async (status) => {
    bureau.provider.behave = answerWith({}, status);
    const unlucky = await bureau.worker();
    for (let n = 0; n < 7; n += 1) await unlucky.lookup(newPhone(), organisation);
    expect(bureau.provider.asked).toHaveLength(5);
  });

  it('wait no longer for a worker that died asking than for the provider', async () => {
    const phone = newPhone();
    const hasty = await bureau.worker({ timeoutMs: 300 });
    await hasty.findings.claim(phone, 60_000);
    expect(await hasty.lookup(phone, organisation)).toMatchObject({ found: planned, providerSilent: true });
    expect(bureau.provider.asked).toHaveLength(0);
  });

  it('give back no claim but their own', async () => {
    const phone = newPhone();
    const late = (await worker.findings.claim(phone, 1)) ?? '';
    while (!late || (await worker.findings.find(phone)).beingAsked);
    const owner = (await worker.findings.claim(phone, 60_000)) ?? '';
    expect(owner).not.toBe('');
    await worker.findings.release(phone, late);
    expect(await worker.findings.find(phone)).toMatchObject({ beingAsked: true });
    await worker.findings.keep(phone, late, { operator: 'Glo' });
    expect(await worker.findings.find(phone)).toMatchObject({ beingAsked: true, complete: true });
    await worker.findings.release(phone, owner);
    expect(await worker.findings.find(phone)).toMatchObject({ beingAsked: false });
  });

  it('do not count what another provider said, or was understood to say', async () => {
    const phone = newPhone();
    await worker.lookup(phone, organisation);
    await bureau.database.$executeRaw`UPDATE live_finding SET provider = 'other' WHERE phone = ${phone}`;
    bureau.provider.behave = answerWith({ network: 'Airtel' });
    expect(await worker.lookup(phone, organisation)).toMatchObject({
      found: { operator: 'Airtel' },
      sources: fromProvider,
    });
  });

  it('are forgotten when nobody believes them any more', async () => {
    const phone = newPhone();
    await worker.lookup(phone, organisation);
    await worker.findings.prune(1_000);
    expect(await bureau.database.liveFinding.findUnique({ where: { phone } })).not.toBeNull();
    await bureau.pass('25 hours');
    await worker.findings.prune(1_000);
    expect(await bureau.database.liveFinding.count()).toBe(0);
  });

  describe('with a price', () => {
    let paid: Worker;
    beforeEach(async () => {
      await bureau.setPrice(150n);
      paid = await bureau.worker({ timeoutMs: 1_000 });
    });

    it('cost it when the provider was asked, and nothing from the cache', async () => {
      const rich = await bureau.organisation(1_000n);
      const phone = newPhone();
      await Promise.all(Array.from({ length: 20 }, () => paid.lookup(phone, rich)));
      await paid.lookup(phone, rich);
      expect(await bureau.balance(rich)).toBe(850n);
      const again = newId();
      const other = newPhone();
      await paid.lookup(other, rich, again);
      await bureau.pass('25 hours');
      // The queue runs a request twice.
      await paid.lookup(other, rich, again);
      expect(await bureau.balance(rich)).toBe(700n);
      await bureau.expectSoundLedger();
    });

    it('are refused to who cannot pay, who keeps nobody from paying', async () => {
      const [poor, rich] = [await bureau.organisation(149n), await bureau.organisation(150n)];
      const phone = newPhone();
      const outcomes = await Promise.allSettled([
        paid.lookup(phone, poor),
        paid.lookup(phone, rich),
        paid.lookup(phone, poor),
      ]);
      expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { found: told } });
      // Who came first had to pay; who came after somebody who did is told for nothing.
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      for (const outcome of refused) expect(outcome).toMatchObject({ reason: { status: 402 } });
      expect(bureau.provider.asked).toHaveLength(1);
      expect([await bureau.balance(poor), await bureau.balance(rich)]).toEqual([149n, 0n]);
      await bureau.expectSoundLedger();
    });

    it('do not call a provider for who cannot pay, however often', async () => {
      const poor = await bureau.organisation(149n);
      for (let n = 0; n < 8; n += 1) {
        await expect(paid.lookup(newPhone(), poor)).rejects.toMatchObject({ code: 'insufficient_balance' });
      }
      expect(bureau.provider.asked).toHaveLength(0);
      const rich = await bureau.organisation(150n);
      expect(await paid.lookup(newPhone(), rich)).toMatchObject({ sources: fromProvider });
    });

    it('are given back when the provider gave no answer, and not taken while it is left alone', async () => {
      const rich = await bureau.organisation(1_000n);
      bureau.provider.behave = answerWith({}, 500);
      for (let n = 0; n < 7; n += 1) await paid.lookup(newPhone(), rich);
      expect(await bureau.balance(rich)).toBe(1_000n);
      const returned = await bureau.database.ledgerTransaction.count({
        where: { organisationId: rich, kind: 'void' },
      });
      expect(returned).toBe(5);
      expect(await bureau.database.lookupReservation.count()).toBe(0);
      await bureau.expectSoundLedger();
    });

    it.each([
      ['given back', answerWith({}, 500), 1_000n],
      ['paid', answerWith({}), 850n],
    ])('are %s later when the wallet is held meanwhile', async (_, answer, balance) => {
      const rich = await bureau.organisation(1_000n);
      let letGo: () => Promise<void> = () => Promise.resolve();
      bureau.provider.behave = (request, response) => {
        void bureau.holdWallet(rich).then((release) => {
          letGo = release;
          answer(request, response);
        });
      };
      expect(await paid.lookup(newPhone(), rich)).toHaveProperty('found');
      expect(await bureau.reserved(rich)).toBe(150n);
      // It is still held: what cannot be settled stays, and is not forgotten.
      await bureau.passReservations();
      expect(await paid.reservations.settleDue(10)).toBe(1);
      expect(await bureau.reserved(rich)).toBe(150n);
      await letGo();
      await bureau.passReservations();
      expect(await paid.reservations.settleDue(10)).toBe(1);
      expect([await bureau.balance(rich), await bureau.reserved(rich)]).toEqual([balance, 0n]);
      expect(await bureau.database.lookupReservation.count()).toBe(0);
      await bureau.expectSoundLedger();
    });

    it('are given back when their worker died, also to who asked again meanwhile', async () => {
      const rich = await bureau.organisation(1_000n);
      const [context, phone] = [newContext({ organisationId: rich, operationId: newId() }), newPhone()];
      await paid.reservations.pay(context, phone);
      expect(await paid.reservations.settleDue(10)).toBe(0);
      expect([await bureau.balance(rich), await bureau.reserved(rich)]).toEqual([850n, 150n]);
      await bureau.passReservations();
      await Promise.all([paid.reservations.settleDue(10), paid.reservations.settleDue(10)]);
      expect([await bureau.balance(rich), await bureau.reserved(rich)]).toEqual([1_000n, 0n]);
      await bureau.expectSoundLedger();

      const second = newContext({ organisationId: rich, operationId: newId() });
      await paid.reservations.pay(second, phone);
      await paid.lookup(phone, rich, second.operationId);
      await bureau.passReservations();
      await paid.reservations.settleDue(10);
      expect([await bureau.balance(rich), await bureau.reserved(rich)]).toEqual([850n, 0n]);
      await bureau.expectSoundLedger();
    });

    it('hold nobody up while a wallet is waited for', async () => {
      const [stuck, rich] = [await bureau.organisation(150n), await bureau.organisation(150n)];
      const phone = newPhone();
      const letGo = await bureau.holdWallet(stuck);
      await expect(paid.lookup(phone, stuck)).rejects.toThrow();
      expect(await bureau.database.liveFinding.findUnique({ where: { phone } })).toBeNull();
      expect(await paid.lookup(phone, rich)).toMatchObject({ sources: fromProvider });
      await letGo();
      await bureau.expectSoundLedger();
    });

    it('cost it everywhere where no provider is asked at all', async () => {
      const test = await bureau.organisation(300n, 'test');
      const phone = newPhone();
      const again = newId();
      await paid.lookup(phone, test, again);
      await paid.lookup(phone, test, again);
      await paid.lookup(phone, test);
      expect(await bureau.balance(test)).toBe(0n);
      await expect(paid.lookup(phone, test)).rejects.toMatchObject({ status: 402 });
      await bureau.expectSoundLedger();
    });
  });
});
