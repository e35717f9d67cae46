import { type Contestant, titles, type WayName } from '../ways/contestants.js';
import type { BrokerKind } from '../ways/way.js';
import { type Measurement, ratio } from './measurement.js';
import { table } from './table.js';

const brokerNames: Record<BrokerKind, string> = { redis: 'Redis', postgres: 'Postgres' };

/** What the transport is held against. */
const yardsticks: readonly WayName[] = ['one-job', 'direct', 'in-process'];

/** A table for each broker, and how the transport compares. */
export function report(
  measurements: readonly Measurement[],
  contestants: readonly Contestant[],
  connections: readonly number[],
): string[] {
  const brokers = [...new Set(contestants.flatMap(({ broker }) => broker ?? []))];
  if (brokers.length === 0) return table(measurements, contestants, connections);
  return brokers.flatMap((broker) => {
    const shown = contestants.filter((one) => one.broker === undefined || one.broker === broker);
    return [
      '',
      `The queue on ${brokerNames[broker]}`,
      ...table(measurements, shown, connections),
      ...ratioLines(measurements, shown, connections),
    ];
  });
}

function ratioLines(
  measurements: readonly Measurement[],
  shown: readonly Contestant[],
  connections: readonly number[],
): string[] {
  const transport = shown.find(({ way }) => way === 'transport');
  if (!transport) return [];
  return shown
    .filter(({ way }) => yardsticks.includes(way))
    .map((other) => {
      const ratios = connections.map((count) => {
        const times = ratio(measurements, transport, other, count).toFixed(2);
        return `${times} × at ${count}`;
      });
      return `${titles.transport} ÷ ${titles[other.way]}: ${ratios.join(', ')}`;
    });
}

/** What the transport must reach, when the bench is asked to insist. */
const required = { times: 3, connections: 64, broker: 'redis' } as const;

/** A sentence when the transport falls short of what is required of it, or that was not measured. */
export function shortfall(measurements: readonly Measurement[]): string | undefined {
  const { times, connections, broker } = required;
  const reached = ratio(measurements, { way: 'transport', broker }, { way: 'one-job', broker }, connections);
  if (reached >= times) return undefined;
  const found = Number.isNaN(reached) ? 'that was not measured' : `it is ${reached.toFixed(2)} ×`;
  return `The transport must be ${times} × one job per request at ${connections} connections on Redis; ${found}`;
}
