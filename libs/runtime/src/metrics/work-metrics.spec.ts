import { work } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { measureWork } from './work-metrics.js';

describe('the metrics of work', () => {
  it('show at each scrape what the process has done since its start', async () => {
    const registry = new Registry();
    measureWork(registry);
    const counts = async (): Promise<number[]> =>
      (await registry.getMetricsAsJSON()).map(({ values: [first] }) => first?.value ?? -1);
    const expected = () => [work.phonesParsed, work.namesCompared, work.routesVisited];
    expect(await counts()).toEqual(expected());
    work.phonesParsed += 3;
    work.namesCompared += 2;
    work.routesVisited += 1;
    expect(await counts()).toEqual(expected());
    expect(await counts()).toEqual(expected());
  });
});
