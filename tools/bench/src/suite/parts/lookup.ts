import { BenchEnvironment } from '../../environment/bench-environment.js';
import { createCustomers } from '../../environment/customers.js';
import { LoadGenerator } from '../../load/load-generator.js';
import { benchScript } from '../../scripts.js';
import { part } from '../part.js';
import { atLeast, type Group, type Point } from '../scenario.js';

const connections = 64;
const phones = 1_000;

interface LookupRun {
  readonly generator: LoadGenerator;
  readonly key: string;
  readonly ports: { readonly system: number; readonly bare: number };
}

/** A gateway and a lookup worker, and a bare Fastify route. */
const lookupGroup: Group<LookupRun> = {
  title: 'lookups',
  open: ({ track }, work) =>
    BenchEnvironment.for('redis', track, async (environment) => {
      const [customer] = await createCustomers(environment, {
        count: 1,
        mode: 'test',
        scopes: ['lookup:read'],
      });
      const generator = new LoadGenerator();
      environment.atEnd(() => generator.stop());
      const [{ port: system = 0 }, { port: bare = 0 }] = await Promise.all([
        environment.app('gateway'),
        environment.fork(benchScript('environment/bare-fastify')),
        environment.app('lookup'),
      ]);
      return work({ generator, key: customer?.key ?? '', ports: { system, bare } });
    }),
};

const lookUp = (server: keyof LookupRun['ports'], title: string): Point<LookupRun> => ({
  title,
  measure: async ({ generator, key, ports }, { seconds }) => {
    const requests = Array.from(
      { length: phones },
      (_, index) =>
        `GET /lookup/phone?phone=0803${1_000_000 + index} HTTP/1.1\r\nhost: bench\r\nauthorization: ${key}\r\n\r\n`,
    );
    const load = { port: ports[server], connections, warmUpMs: 0, measureMs: seconds * 1_000, requests };
    const { succeeded: handled, perSecond, p50, others } = await generator.run(load);
    if (Object.keys(others).length > 0) throw new Error(`Requests failed: ${JSON.stringify(others)}`);
    return { handled, requests: perSecond, p50 };
  },
});

const systemLookup = lookUp('system', 'the system');
const bareLookup = lookUp('bare', 'bare Fastify route');

export const lookup = part(
  lookupGroup,
  [
    {
      name: 'lookup',
      title: 'GET /lookup/phone, 64 connections',
      figure: 'requests',
      unit: 'req/s',
      of: systemLookup,
      beside: bareLookup,
      bar: atLeast(0.15),
      limit: 'processor time of the gateway',
    },
  ],
  { needs: ['redis'] },
);
