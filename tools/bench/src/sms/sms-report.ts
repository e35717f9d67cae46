import type { LoadResult } from '../load/run-load.js';
import { median } from '../report/measurement.js';

export const smsWays = {
  direct: 'direct SQL, no queue',
  accepting: 'the system, delivery paused',
  delivering: 'the system while it delivers',
} as const;
export type SmsWay = keyof typeof smsWays;

export interface SmsMeasurement extends Pick<LoadResult, 'perSecond' | 'p50' | 'p99'> {
  readonly way: SmsWay;
  /** Per request. */
  readonly recipients: number;
  readonly round: number;
}

const labelWidth = 56;
const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** One line per request size and way with the medians over the rounds, then the ratios. */
export function smsReport(all: readonly SmsMeasurement[], sizes: readonly number[]): string[] {
  const heads = ['req/s', 'recipients/s', 'p50 ms', 'p99 ms'].map((head) => head.padStart(14)).join('');
  return [
    'medians over the rounds'.padEnd(labelWidth) + heads,
    ...sizes.flatMap((size) => (Object.keys(smsWays) as SmsWay[]).map((way) => formatLine(all, size, way))),
    ...(['accepting', 'delivering'] as const).map((way) => ratioLine(all, sizes, way)),
  ];
}

function formatLine(all: readonly SmsMeasurement[], size: number, way: SmsWay): string {
  const rounds = all.filter((one) => one.recipients === size && one.way === way);
  const perSecond = median(rounds.map((one) => one.perSecond));
  const cells = [
    number(perSecond, perSecond < 100 ? 1 : 0),
    number(perSecond * size),
    number(median(rounds.map(({ p50 }) => p50)), 1),
    number(median(rounds.map(({ p99 }) => p99)), 1),
  ];
  const label = `${number(size)} recipient${size === 1 ? '' : 's'} a request, ${smsWays[way]}`;
  return label.padEnd(labelWidth) + cells.map((cell) => cell.padStart(14)).join('');
}

function ratioLine(all: readonly SmsMeasurement[], sizes: readonly number[], way: SmsWay): string {
  const ratios = sizes.map((size) => `${ratioAt(all, size, way).toFixed(2)} × at ${number(size)}`);
  return `${smsWays[way]} ÷ ${smsWays.direct}: ${ratios.join(', ')}`;
}

/** The median of the ratios of the rounds: measurements of one round share the noise. */
export function ratioAt(all: readonly SmsMeasurement[], size: number, way: SmsWay): number {
  const of = (some: SmsWay) => all.filter((one) => one.recipients === size && one.way === some);
  const direct = of('direct');
  return median(
    of(way).flatMap(({ round, perSecond }) =>
      direct.filter((pair) => pair.round === round).map((pair) => perSecond / pair.perSecond),
    ),
  );
}
