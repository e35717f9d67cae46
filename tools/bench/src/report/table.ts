import { type Variant, titles } from '../ways/variants.js';
import { type Measurement, median, roundsOf } from './measurement.js';

const labelWidth = 22;

interface Column {
  readonly head: string;
  readonly width: number;
  readonly cell: (rounds: readonly Measurement[]) => string;
}

const number = (value: number, digits = 0): string =>
  Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const milliseconds = (value: number): string => number(value, value < 10 ? 1 : 0);

const columns: readonly Column[] = [
  { head: 'req/s', width: 9, cell: (rounds) => number(median(rounds.map(({ perSecond }) => perSecond))) },
  { head: 'p50 ms', width: 8, cell: (rounds) => milliseconds(median(rounds.map(({ p50 }) => p50))) },
  { head: 'p99 ms', width: 8, cell: (rounds) => milliseconds(median(rounds.map(({ p99 }) => p99))) },
  {
    head: 'CPU µs',
    width: 13,
    cell: (rounds) =>
      [rounds.map(({ gatewayCpu }) => gatewayCpu), rounds.map(({ workerCpu }) => workerCpu)]
        .map((values) => number(median(values)))
        .join('+'),
  },
];

const groupWidth = columns.reduce((sum, { width }) => sum + width, 0);

/** One line per variant, one group of columns per number of connections. */
export function table(
  measurements: readonly Measurement[],
  variants: readonly Variant[],
  connections: readonly number[],
): string[] {
  const line = (label: string, groups: readonly string[]): string =>
    label.padEnd(labelWidth) + groups.join(' ');
  const heads = columns.map(({ head, width }) => head.padStart(width)).join('');
  return [
    line(
      '',
      connections.map((count) => `${count} connection${count === 1 ? '' : 's'}`.padStart(groupWidth)),
    ),
    line(
      '',
      connections.map(() => heads),
    ),
    ...variants.map((variant) =>
      line(
        titles[variant.way],
        connections.map((count) => {
          const rounds = roundsOf(measurements, variant, count);
          return columns.map(({ cell, width }) => cell(rounds).padStart(width)).join('');
        }),
      ),
    ),
  ];
}
