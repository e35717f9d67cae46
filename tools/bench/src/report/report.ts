import type { BrokerKind } from '@gangan/testing';
import { type Variant, titles, type WayName } from '../ways/variants.js';
import { type Measurement, ratio } from './measurement.js';
import { table } from './table.js';

const brokerNames: Record<BrokerKind, string> = { redis: 'Redis', postgres: 'Postgres' };

/** What the transport is compared with. */
const baselines: readonly WayName[] = ['one-job', 'direct', 'in-process'];

/** A table for each broker, and the ratios of the transport. */
export function report(
  measurements: readonly Measurement[],
  variants: readonly Variant[],
  connections: readonly number[],
): string[] {
  const brokers = [...new Set(variants.flatMap(({ broker }) => broker ?? []))];
  if (brokers.length === 0) return table(measurements, variants, connections);
  return brokers.flatMap((broker) => {
    const shown = variants.filter((one) => one.broker === undefined || one.broker === broker);
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
  shown: readonly Variant[],
  connections: readonly number[],
): string[] {
  const transport = shown.find(({ way }) => way === 'transport');
  if (!transport) return [];
  return shown
    .filter(({ way }) => baselines.includes(way))
    .map((other) => {
      const ratios = connections.map((count) => {
        const times = ratio(measurements, transport, other, count).toFixed(2);
        return `${times} × at ${count}`;
      });
      return `${titles.transport} ÷ ${titles[other.way]}: ${ratios.join(', ')}`;
    });
}

/** What the transport must reach with `--assert`. */
const required = { times: 3, connections: 64, broker: 'redis' } as const;

/** A sentence if the transport is slower than required, or was not measured. */
export function shortfall(measurements: readonly Measurement[]): string | undefined {
  const { times, connections, broker } = required;
  const reached = ratio(measurements, { way: 'transport', broker }, { way: 'one-job', broker }, connections);
  if (reached >= times) return undefined;
  const found = Number.isNaN(reached) ? 'it was not measured' : `it is ${reached.toFixed(2)} ×`;
  return `The transport must be ${times} × one job per request at ${connections} connections on Redis; ${found}`;
}
