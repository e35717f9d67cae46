import { describe, expect, it } from '@jest/globals';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { printMetrics } from './print-metrics.js';

const registryOf = (app: string): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ app });
  return registry;
};

describe('printMetrics', () => {
  it('prints one registry as it prints itself', async () => {
    const registry = registryOf('otp');
    new Counter({ name: 'things_total', help: 'Things', labelNames: ['kind'], registers: [registry] }).inc({
      kind: 'a "b"\nc',
    });
    new Histogram({ name: 'took_seconds', help: 'Time', buckets: [1], registers: [registry] }).observe(0.5);
    new Gauge({ name: 'empty', help: 'Has no series', labelNames: ['x'], registers: [registry] });
    expect(await printMetrics([registry])).toBe(await registry.metrics());
  });

  it('puts the series of all registries under one name', async () => {
    const registries = ['otp', 'lookup'].map(registryOf);
    for (const [index, registry] of registries.entries())
      new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(index);
    new Gauge({ name: 'own', help: 'Of one', registers: registries.slice(1) }).set(7);
    expect(await printMetrics(registries)).toBe(
      [
        '# HELP things_total Things\n# TYPE things_total counter',
        'things_total{app="otp"} 0\nthings_total{app="lookup"} 1\n',
        '# HELP own Of one\n# TYPE own gauge\nown{app="lookup"} 7\n',
      ].join('\n'),
    );
  });
});
