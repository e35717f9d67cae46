import { Histogram, Registry } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { RequestHistogram } from './request-histogram.js';

const buckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

describe('the histogram of requests', () => {
  it('prints what the histogram of prom-client prints', async () => {
    const [own, reference] = [new Registry(), new Registry()];
    for (const registry of [own, reference]) registry.setDefaultLabels({ app: 'gateway' });
    const histogram = new RequestHistogram(own);
    const name = 'gangan_http_request_seconds';
    const labelNames = ['method', 'route', 'status'] as const;
    const { help } = await histogram.get();
    const expected = new Histogram({ name, help, labelNames, buckets, registers: [reference] });
    for (const seconds of [0, 0.0025, 0.003, 0.7, 60, 61])
      for (const [method, route, status] of [
        ['GET', '/sms/:id', 200],
        ['GET', '/sms/:id', 404],
        ['POST', '/sms', 200],
      ] as const) {
        histogram.observe(method, route, status, seconds);
        expected.observe({ method, route, status }, seconds);
      }
    expect(linesOf(await own.metrics())).toEqual(linesOf(await reference.metrics()));
  });
});

/** In any order, of the lines and of the labels in a line. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) =>
      line.replace(/\{([^{}]*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`),
    )
    .sort();
