import { Registry } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { OrganisationCounter } from './organisation-counter.js';

const periodMs = 10 * 60_000;
const nameOf = (index: number): string => `organisation-${index}`;
const indexes = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, place) => from + place);

function setUp() {
  const registry = new Registry();
  let now = 0;
  const counter = new OrganisationCounter(registry, () => now);
  /** By label: the requests of every status. Fails if a number is lower than at the last scrape. */
  const seen = new Map<string, number>();
  const scrape = async (): Promise<Map<string, number>> => {
    const totals = new Map<string, number>();
    for (const [series, organisation = '', value = ''] of (await registry.metrics()).matchAll(
      /^gangan_http_organisation_requests_total\{organisation="([^"]+)",status="[245]xx"\} (\d+)$/gm,
    )) {
      const [name = ''] = series.split(' ');
      expect(Number(value)).toBeGreaterThanOrEqual(seen.get(name) ?? 0);
      seen.set(name, Number(value));
      totals.set(organisation, (totals.get(organisation) ?? 0) + Number(value));
    }
    return totals;
  };
  return {
    add: (index: number, times = 1, status = 200) => {
      for (let time = 0; time < times; time += 1) counter.add(nameOf(index), status);
    },
    nextPeriod: () => {
      now += periodMs;
      return scrape();
    },
    scrape,
    text: () => registry.metrics(),
  };
}

describe('the requests of organisations', () => {
  it('have 100 labels for 150 organisations, and every request is counted once', async () => {
    const { add, scrape } = setUp();
    for (const index of indexes(0, 150)) add(index, 2);
    const totals = await scrape();
    expect(totals.size).toBe(101);
    expect(totals.get(nameOf(0))).toBe(2);
    expect(totals.get(nameOf(99))).toBe(2);
    expect(totals.get('other')).toBe(100);
  });

  it('are labelled for the most active organisations of the last period, and no number falls', async () => {
    const { add, scrape, nextPeriod } = setUp();
    for (const index of indexes(0, 150)) add(index, index < 50 ? 1 : 10);
    const first = await nextPeriod();
    expect(first.size).toBe(101);
    // Those that came late start at 0: what they sent before stays under `other`.
    expect(first.get(nameOf(120))).toBe(0);
    expect(first.get('other')).toBe(500);
    expect(first.has(nameOf(0))).toBe(false);

    for (const index of indexes(0, 150)) add(index, index < 50 ? 30 : 1);
    const second = await nextPeriod();
    expect(second.size).toBe(101);
    expect(second.get('other')).toBe(500 + 50 * 30);
    // It continues where it ended.
    expect(second.get(nameOf(0))).toBe(1);
    add(0, 5);
    expect((await scrape()).get(nameOf(0))).toBe(6);
  });

  it('keep their labels if others were only as active', async () => {
    const { add, nextPeriod } = setUp();
    for (const index of indexes(0, 150)) add(index, 3);
    const totals = await nextPeriod();
    expect([...totals.keys()]).toEqual([...indexes(0, 100).map(nameOf), 'other']);
  });

  it('are counted by class of status', async () => {
    const { add, text } = setUp();
    for (const status of [200, 201, 302, 400, 429, 499, 503]) add(7, 1, status);
    const printed = await text();
    for (const series of ['2xx"} 3', '4xx"} 3', '5xx"} 1'])
      expect(printed).toContain(`{organisation="organisation-7",status="${series}`);
  });
});
