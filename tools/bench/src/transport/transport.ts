import { redisAvailable } from '@gangan/testing';
import { availableParallelism, loadavg } from 'node:os';
import { bench, type Track, type Print } from '../bench.js';
import type { RunningVariant } from '../processes/running-variant.js';
import type { Measurement } from '../report/measurement.js';
import { report, shortfall } from '../report/report.js';
import { variants, nameOf } from '../ways/variants.js';
import { type TransportOptions, transportOptions } from './transport-options.js';
import { TransportRun } from './transport-run.js';

export const transport = bench(
  'this transport, compared with bare Fastify, direct SQL, one BullMQ job per request, and batches without a queue',
  transportOptions,
  measure,
);

async function measure(given: TransportOptions, print: Print, track: Track): Promise<number> {
  const options = withoutMissingRedis(given, print);
  printMachine(print);
  const run = await TransportRun.start(options);
  track(run);
  try {
    const started: RunningVariant[] = [];
    for (const variant of variants(options.only, options.on)) {
      print(`warming up ${nameOf(variant)}`);
      started.push(await run.startVariant(variant));
    }
    const measurements = await measureAll(run, started, options, print);
    const measured = started.map(({ variant }) => variant);
    for (const line of report(measurements, measured, options.connections)) print(line);
    const fault = options.assert ? shortfall(measurements) : undefined;
    if (fault !== undefined) print(`\n${fault}`);
    return fault === undefined ? 0 : 1;
  } finally {
    await run.close();
  }
}

/** Measures all in turn, in every second round backwards, so that noise and drift affect all equally. */
async function measureAll(
  run: TransportRun,
  variants: readonly RunningVariant[],
  { rounds, connections }: TransportOptions,
  print: Print,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const count of connections) {
      for (const variant of round % 2 === 1 ? variants : variants.toReversed()) {
        const measurement = await run.measure(variant, count, round);
        measurements.push(measurement);
        print(progress(measurement, rounds));
      }
    }
  }
  return measurements;
}

function progress({ variant, connections, round, perSecond, others }: Measurement, rounds: number): string {
  const faults = Object.entries(others).map(([status, count]) =>
    status === '0' ? `${count} broken connections` : `${count} × status ${status}`,
  );
  const pace = `${Math.round(perSecond).toLocaleString('en')} req/s`;
  return [
    `round ${round}/${rounds}, ${connections} connections, ${nameOf(variant)}: ${pace}`,
    ...faults,
  ].join('; ');
}

function withoutMissingRedis(options: TransportOptions, print: Print): TransportOptions {
  if (redisAvailable || !options.on.includes('redis')) return options;
  print('');
  print('!!  redis-server is not on the PATH: THE REDIS HALF OF THIS BENCH IS SKIPPED  !!');
  print('');
  return { ...options, on: options.on.filter((broker) => broker !== 'redis') };
}

function printMachine(print: Print): void {
  const cores = availableParallelism();
  print(`Node ${process.versions.node}, ${process.arch}, ${cores} cores, shared with the load generator`);
  const [busy = 0] = loadavg();
  if (busy > cores / 4) {
    print(`The machine is already busy (load ${busy.toFixed(1)}): compare the ratios, not the numbers`);
  }
}
