import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Inquiry, Submission } from '../src/providers/airtime-provider.js';
import { Pending, ScriptedProvider } from './support/scripted-provider.js';
import { Shop } from './support/shop.js';
import { until } from '@gangan/testing';

const reason = { code: 'x', message: 'why' };

describe('a provider', () => {
  let shop: Shop;
  let organisation: string;
  let one: ScriptedProvider;
  let other: ScriptedProvider;
  beforeAll(async () => {
    shop = await Shop.open();
  }, 60_000);
  afterAll(() => shop.close());
  beforeEach(async () => {
    organisation = await shop.organisation(10_000n);
    [one, other] = [new ScriptedProvider('one'), new ScriptedProvider('other')];
  });
  afterEach(async () => {
    await shop.expectSoundLedger();
    shop.ears.alarms.length = 0;
  });

  const worker = (callMs?: number) =>
    shop.worker({ named: [one, other], ...(callMs !== undefined && { callMs }) });

  it('that could not be reached gives way to the next, who is then the one to be asked', async () => {
    one.onSubmit = () => ({ kind: 'unreached', reason });
    other.onSubmit = () => ({ kind: 'unknown' });
    const id = await shop.buy(worker(), organisation);
    await worker().settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'sent', provider: 'other' });
    other.onAsk = () => ({ kind: 'success' });
    await shop.pass(5_000);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'success' });
    expect([one.asked, other.asked]).toEqual([[], [id]]);
  });

  it('that breaks off is not followed by another: nobody knows what it did', async () => {
    one.onSubmit = () => new Error('socket hang up');
    const id = await shop.buy(worker(), organisation);
    await worker().settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'sent', provider: 'one', refunded: false });
    expect(other.told).toEqual([]);
    expect(await shop.balances(organisation)).toMatchObject({ reserved: 10_000n });
  });

  it('that nobody reaches is tried again, for a day, and then the money goes back', async () => {
    one.onSubmit = other.onSubmit = () => ({ kind: 'unreached', reason });
    const id = await shop.buy(worker(), organisation);
    await worker().settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'pending', provider: null });
    await shop.pass(0);
    await worker().sweep();
    expect([one.told.length, other.told.length]).toEqual([2, 2]);
    await shop.age(id, 25 * 3_600_000);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'provider_unreachable',
    });
    expect(await shop.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
  });

  it('that never heard of a purchase is believed only once nothing can be under way to it', async () => {
    one.onSubmit = () => new Error('socket hang up');
    const id = await shop.buy(worker(), organisation);
    await worker().settlement.settle(id);
    await shop.pass(5_000);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'sent' });
    await shop.pass(30_000);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'never_arrived' });
    expect(one.told).toHaveLength(1);
  });

  it('that answers too late is still heard', async () => {
    const late = new Pending<Submission>();
    one.onSubmit = () => late.answer;
    const id = await shop.buy(worker(), organisation);
    await worker(100).settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'sent' });
    late.give({ kind: 'success', providerReference: 'p-1' });
    await until('the purchase succeeds', async () => (await shop.stored(id)).state === 'success');
    expect(shop.ears.alarms).toEqual([]);
  });

  it('that answers only after others have asked in vain is still heard', async () => {
    const late = new Pending<Submission>();
    one.onSubmit = () => late.answer;
    one.onAsk = () => ({ kind: 'unknown' });
    const id = await shop.buy(worker(), organisation);
    await worker(100).settlement.settle(id);
    await shop.pass(5_000);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
    late.give({ kind: 'success' });
    await until('the purchase succeeds', async () => (await shop.stored(id)).state === 'success');
    expect(await shop.booked(id)).toEqual(['post', 'reserve']);
  });

  it('that answers while it is being asked is heard, and what it did not know before counts no more', async () => {
    const [late, asked] = [new Pending<Submission>(), new Pending<Inquiry>()];
    one.onSubmit = () => late.answer;
    one.onAsk = () => asked.answer;
    const id = await shop.buy(worker(), organisation);
    await worker(100).settlement.settle(id);
    await shop.pass(60_000);
    const sweeping = worker(60_000).sweep();
    await until('the provider is called', () => one.asked.length > 0);
    late.give({ kind: 'success' });
    await until('the purchase succeeds', async () => (await shop.stored(id)).state === 'success');
    asked.give({ kind: 'unheard' });
    await sweeping;
    expect(await shop.stored(id)).toMatchObject({ state: 'success', refunded: false });
    expect(await shop.booked(id)).toEqual(['post', 'reserve']);
  });

  it('that hangs holds up no other', async () => {
    const hanging = new Pending<Inquiry>();
    const rich = await shop.organisation();
    one.onSubmit = other.onSubmit = () => ({ kind: 'unknown' });
    one.onAsk = () => hanging.answer;
    const ids: string[] = [];
    for (let place = 0; place < 40; place += 1) {
      ids.push(await shop.buy(worker(), rich, { recipient: `0803${String(1_000_000 + place)}` }));
    }
    await Promise.all(ids.map((id) => worker().settlement.settle(id)));
    await shop.pass(5_000);
    one.onSubmit = () => ({ kind: 'unreached', reason });
    other.onAsk = () => ({ kind: 'success' });
    const id = await shop.buy(worker(), organisation);
    await worker().settlement.settle(id);
    await shop.age(id, 0);

    const sweeping = worker(60_000);
    await until('the purchase succeeds', async () => {
      await sweeping.sweeper.sweep();
      return (await shop.stored(id)).state === 'success';
    });
    expect(one.asked.length).toBeLessThan(ids.length);
    hanging.give({ kind: 'success' });
    await sweeping.sweep();
    const ended = await Promise.all(ids.map((each) => shop.stored(each)));
    expect(new Set(ended.map(({ state }) => state))).toEqual(new Set(['success']));
  });

  it('whose success fits no purchase that was handed over rings the alarm', async () => {
    const late = new Pending<Submission>();
    one.onSubmit = () => late.answer;
    const id = await shop.buy(worker(), organisation);
    await worker(100).settlement.settle(id);
    await shop.forget(id);
    late.give({ kind: 'success' });
    await until('an alarm is raised', () => shop.ears.alarms.length > 0);
    expect(shop.ears.alarms).toEqual([expect.stringContaining('nobody was told')]);
    expect(await shop.stored(id)).toMatchObject({ state: 'pending' });
    one.onSubmit = () => ({ kind: 'failed', reason });
    await shop.pass(0);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'failed' });
  });

  it('that delivers after the money went back costs us, is booked once, and rings the alarm', async () => {
    const late = new Pending<Submission>();
    one.onSubmit = () => late.answer;
    const id = await shop.buy(worker(), organisation);
    await worker(100).settlement.settle(id);
    await shop.pass(60_000);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'failed', refunded: true });
    late.give({ kind: 'success' });
    await until('an alarm is raised', () => shop.ears.alarms.length > 0);
    expect(shop.ears.alarms).toEqual([expect.stringContaining('booked as a loss')]);
    expect(await shop.stored(id)).toMatchObject({ state: 'failed', refunded: true });
    expect(await shop.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
    expect(await shop.booked(id)).toEqual(['loss', 'reserve', 'void']);
  });

  it('that takes back a success changes nothing', async () => {
    const late = new Pending<Submission>();
    one.onSubmit = () => late.answer;
    one.onAsk = () => ({ kind: 'success' });
    const id = await shop.buy(worker(), organisation);
    await worker(100).settlement.settle(id);
    await shop.pass(5_000);
    await worker().sweep();
    late.give({ kind: 'failed', reason });
    await shop.pass(0);
    await worker().sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'success', refunded: false });
    expect(await shop.booked(id)).toEqual(['post', 'reserve']);
  });
});
