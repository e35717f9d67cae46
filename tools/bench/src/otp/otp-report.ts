import { median } from '../report/measurement.js';
import type { OtpTimes } from './otp-load.js';

export const otpWays = { system: 'gateway, queue, otp', direct: 'direct SQL, no queue' } as const;
export type OtpWay = keyof typeof otpWays;

export interface OtpMeasurement {
  readonly way: OtpWay;
  readonly operation: 'request' | 'verify';
  readonly connections: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export function toMeasurement(
  facts: Pick<OtpMeasurement, 'way' | 'operation' | 'connections'>,
  { milliseconds, seconds }: OtpTimes,
): OtpMeasurement {
  const sorted = [...milliseconds].sort((one, other) => one - other);
  const quantile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  return { ...facts, perSecond: sorted.length / seconds, p50: quantile(0.5), p99: quantile(0.99) };
}

/** One line per operation, way and number of connections: medians over the rounds. */
export function otpReport(all: readonly OtpMeasurement[], connections: readonly number[]): string[] {
  const lines = [
    `${'medians over the rounds'.padEnd(48)}${['req/s', 'p50 ms', 'p99 ms'].map((head) => head.padStart(9)).join('')}`,
  ];
  for (const operation of ['request', 'verify'] as const) {
    for (const count of connections) {
      for (const way of ['direct', 'system'] as const) {
        const rounds = all.filter(
          (one) => one.operation === operation && one.connections === count && one.way === way,
        );
        const label = `${operation}, ${count} at a time, ${otpWays[way]}`;
        const cells = [
          median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
          median(rounds.map(({ p50 }) => p50)).toFixed(1),
          median(rounds.map(({ p99 }) => p99)).toFixed(1),
        ];
        lines.push(label.padEnd(48) + cells.map((cell) => cell.padStart(9)).join(''));
      }
    }
  }
  return lines;
}
