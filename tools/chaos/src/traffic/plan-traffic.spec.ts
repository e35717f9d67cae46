import { describe, expect, it } from '@jest/globals';
import { amountsAt, planTraffic } from './plan-traffic.js';

describe('the traffic of a run', () => {
  const plan = (seed: number, amounts = amountsAt(15, 0, 60)) =>
    planTraffic({ seed, seconds: 60, organisations: 4, amounts });

  it('is the same for the same seed, and another for another', () => {
    expect(plan(1)).toEqual(plan(1));
    expect(plan(2)).not.toEqual(plan(1));
  });

  it('has exactly the wanted amounts, spread over the run', () => {
    const amounts = { sms: 100, smartlist: 3, otp: 50, airtime: 20, contact: 7, lookup: 11, balance: 9 };
    const intents = plan(1, amounts);
    for (const [kind, amount] of Object.entries(amounts))
      expect(intents.filter((intent) => intent.kind === kind)).toHaveLength(amount);
    expect(intents.map(({ atMs }) => atMs)).toEqual(
      intents.map((_, index) => Math.floor((index * 60_000) / 200)),
    );
  });

  it('begins slowly if wanted, and then has an even rate', () => {
    const amounts = amountsAt(15, 285, 50);
    const intents = planTraffic({ seed: 1, seconds: 60, rampSeconds: 20, organisations: 4, amounts });
    const perSecond = Array.from(
      { length: 60 },
      (_, second) => intents.filter(({ atMs }) => Math.floor(atMs / 1_000) === second).length,
    );
    expect(perSecond.slice(0, 20)).toEqual(perSecond.slice(0, 20).toSorted((one, other) => one - other));
    expect(perSecond[0]).toBeLessThan(20);
    for (const count of perSecond.slice(20)) expect(Math.abs(count - 300)).toBeLessThan(3);
  });

  it('has as many reads as wanted, by default none', () => {
    const kindsOf = (reads: number) => plan(1, amountsAt(15, reads, 60)).map(({ kind }) => kind as string);
    const countReads = (kinds: readonly string[]) =>
      kinds.filter((kind) => kind === 'lookup' || kind === 'balance').length;
    expect(countReads(kindsOf(0))).toBe(0);
    expect(countReads(kindsOf(285))).toBe(285 * 60);
  });

  it('has references that occur once, and no number that never becomes final', () => {
    const intents = plan(3);
    expect(new Set(intents.map(({ ref }) => ref)).size).toBe(intents.length);
    expect(JSON.stringify(intents)).not.toContain('+2347000000007');
  });

  it('has some large messages, which are not batched', () => {
    const sizes = plan(5).flatMap((intent) => (intent.kind === 'sms' ? intent.recipients.length : []));
    const largeSizes = sizes.filter((size) => size >= 60);
    expect(largeSizes.length / sizes.length).toBeGreaterThan(0.01);
    expect(largeSizes.length / sizes.length).toBeLessThan(0.06);
    expect(Math.max(...sizes)).toBeGreaterThan(150);
  });

  it('sends a few requests of the organisation that runs out of money', () => {
    const own = plan(6).filter(({ organisation }) => organisation === 3);
    expect(own.length).toBeGreaterThan(10);
    expect(own.length).toBeLessThan(50);
  });

  it('uses every organisation, every kind and the special numbers', () => {
    const intents = plan(4);
    expect(new Set(intents.map(({ organisation }) => organisation))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(intents.map(({ kind }) => kind)).size).toBe(5);
    for (const last of ['0002', '0003', '0004', '0005', '0006'])
      expect(JSON.stringify(intents)).toContain(`+234700000${last}`);
  });
});
