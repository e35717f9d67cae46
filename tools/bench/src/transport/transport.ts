import { redisAvailable } from '@gangan/testing';
import { availableParallelism, loadavg } from 'node:os';
import { bench, type Running, type Say } from '../bench.js';
import type { Entrant } from '../processes/entrant.js';
import type { Measurement } from '../report/measurement.js';
import { report, shortfall } from '../report/report.js';
import { contestants, nameOf } from '../ways/contestants.js';
import { type TransportOptions, transportOptions } from './transport-options.js';
import { TransportRun } from './transport-run.js';

/** What the queue costs and what batching gives. */
export const transport = bench(
  'this transport, beside bare Fastify, direct SQL, one BullMQ job per request, and batches without a queue',
  transportOptions,
  measure,
);

async function measure(given: TransportOptions, say: Say, running: Running): Promise<number> {
  const options = withoutMissingRedis(given, say);
  introduce(say);
  const run = await TransportRun.start(options);
  running(run);
  try {
    const entrants: Entrant[] = [];
    for (const contestant of contestants(options.only, options.on)) {
      say(`warming up ${nameOf(contestant)}`);
      entrants.push(await run.enter(contestant));
    }
    const measurements = await measureAll(run, entrants, options, say);
    const entered = entrants.map(({ contestant }) => contestant);
    for (const line of report(measurements, entered, options.connections)) say(line);
    const fault = options.assert ? shortfall(measurements) : undefined;
    if (fault !== undefined) say(`\n${fault}`);
    return fault === undefined ? 0 : 1;
  } finally {
    await run.close();
  }
}

/** Everybody in turn, again and again, every second time backwards: noise and drift meet all alike. */
async function measureAll(
  run: TransportRun,
  entrants: readonly Entrant[],
  { rounds, connections }: TransportOptions,
  say: Say,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const count of connections) {
      for (const entrant of round % 2 === 1 ? entrants : entrants.toReversed()) {
        const measurement = await run.measure(entrant, count, round);
        measurements.push(measurement);
        say(progress(measurement, rounds));
      }
    }
  }
  return measurements;
}

function progress(
  { contestant, connections, round, perSecond, others }: Measurement,
  rounds: number,
): string {
  const faults = Object.entries(others).map(([status, count]) =>
    status === '0' ? `${count} broken connections` : `${count} × status ${status}`,
  );
  const pace = `${Math.round(perSecond).toLocaleString('en')} req/s`;
  return [
    `round ${round}/${rounds}, ${connections} connections, ${nameOf(contestant)}: ${pace}`,
    ...faults,
  ].join('; ');
}

function withoutMissingRedis(options: TransportOptions, say: Say): TransportOptions {
  if (redisAvailable || !options.on.includes('redis')) return options;
  say('');
  say('!!  redis-server is not on the PATH: THE REDIS HALF OF THIS BENCH IS SKIPPED  !!');
  say('');
  return { ...options, on: options.on.filter((broker) => broker !== 'redis') };
}

function introduce(say: Say): void {
  const cores = availableParallelism();
  say(
    `Node ${process.versions.node}, ${process.arch}, ${cores} cores; everything runs on them, the load too`,
  );
  const [busy = 0] = loadavg();
  if (busy > cores / 4) {
    say(`The machine is busy already (load ${busy.toFixed(1)}): compare the ratios, not the numbers`);
  }
}
