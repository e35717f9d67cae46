import { describe, expect, it } from '@jest/globals';
import { amountsAt, planTraffic } from './plan-traffic.js';

describe('the traffic of a run', () => {
  const plan = (seed: number, amounts = amountsAt(15, 60)) =>
    planTraffic({ seed, seconds: 60, organisations: 4, amounts });

  it('is the same for the same seed, and another for another', () => {
    expect(plan(1)).toEqual(plan(1));
    expect(plan(2)).not.toEqual(plan(1));
  });

  it('has exactly the wanted amounts, spread over the run', () => {
    const amounts = { sms: 100, smartlist: 3, otp: 50, airtime: 20, contact: 7 };
    const intents = plan(1, amounts);
    for (const [kind, amount] of Object.entries(amounts))
      expect(intents.filter((intent) => intent.kind === kind)).toHaveLength(amount);
    expect(intents.map(({ atMs }) => atMs)).toEqual(
      intents.map((_, index) => Math.floor((index * 60_000) / 180)),
    );
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
