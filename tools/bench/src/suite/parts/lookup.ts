import { BenchEnvironment } from '../../environment/bench-environment.js';
import { createCustomer } from '../../environment/customers.js';
import { assertAllSucceeded, LoadGenerator } from '../../load/load-generator.js';
import { benchScript } from '../../scripts.js';
import { part } from '../part.js';
import { atLeast, type Group, type Point } from '../scenario.js';

const connections = 64;
const phones = 1_000;

interface LookupRun {
  readonly generator: LoadGenerator;
  readonly requests: readonly string[];
  readonly ports: { readonly system: number; readonly bare: number };
}

/** A gateway and a lookup worker, and a bare Fastify route. */
const lookupGroup: Group<LookupRun> = {
  title: 'lookups',
  needs: ['redis'],
  open: async (resources) => {
    const environment = await BenchEnvironment.start('redis', resources);
    const { key } = await createCustomer(environment, { mode: 'test', scopes: ['lookup:read'] });
    const [system, bare] = await Promise.all([
      environment.app('gateway'),
      environment.fork(benchScript('environment/bare-fastify')),
      environment.app('lookup'),
    ]);
    const requests = Array.from(
      { length: phones },
      (_, index) =>
        `GET /lookup/phone?phone=0803${1_000_000 + index} HTTP/1.1\r\nhost: bench\r\nauthorization: ${key}\r\n\r\n`,
    );
    const ports = { system: system.port, bare: bare.port };
    return { generator: new LoadGenerator(resources), requests, ports };
  },
};

const lookUp = (server: keyof LookupRun['ports'], title: string): Point<LookupRun> => ({
  title,
  measure: async ({ generator, requests, ports }, { seconds }) => {
    const result = await generator.run({ port: ports[server], connections, seconds, requests });
    assertAllSucceeded(result);
    return { handled: result.succeeded, requests: result.perSecond };
  },
});

export const lookup = part(lookupGroup, [
  {
    name: 'lookup',
    title: 'GET /lookup/phone, 64 connections',
    figure: 'requests',
    unit: 'req/s',
    of: lookUp('system', 'the system'),
    beside: lookUp('bare', 'bare Fastify route'),
    bar: atLeast(0.15),
    limit: 'processor time of the gateway',
  },
]);
