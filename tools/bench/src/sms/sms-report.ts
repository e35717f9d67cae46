import type { LoadResult } from '../load/run-load.js';
import { median } from '../report/measurement.js';

export const smsWays = {
  direct: 'direct SQL, no queue',
  delivering: 'the system while it delivers',
} as const;
export type SmsWay = keyof typeof smsWays;

/** What is measured each way. */
export interface SmsScenario {
  /** Per request. */
  readonly recipients: number;
  readonly organisations: number;
}

export interface SmsMeasurement extends SmsScenario, Pick<LoadResult, 'perSecond' | 'p50' | 'p99'> {
  readonly way: SmsWay;
  readonly round: number;
}

const labelWidth = 72;
const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** One line per scenario and way with the medians over the rounds, then the ratios. */
export function smsReport(all: readonly SmsMeasurement[], scenarios: readonly SmsScenario[]): string[] {
  const heads = ['req/s', 'recipients/s', 'p50 ms', 'p99 ms'].map((head) => head.padStart(14)).join('');
  return [
    'medians over the rounds'.padEnd(labelWidth) + heads,
    ...scenarios.flatMap((scenario) =>
      (Object.keys(smsWays) as SmsWay[]).map((way) => formatLine(all, scenario, way)),
    ),
    `${smsWays.delivering} ÷ ${smsWays.direct}:`,
    ...scenarios.map((scenario) => `${labelOf(scenario)}: ${ratioAt(all, scenario).toFixed(2)} ×`),
  ];
}

export const labelOf = ({ recipients, organisations }: SmsScenario): string =>
  `${number(recipients)} recipient${recipients === 1 ? '' : 's'} a request, ${number(organisations)} organisation${organisations === 1 ? '' : 's'}`;

const measuredIn = (
  all: readonly SmsMeasurement[],
  { recipients, organisations }: SmsScenario,
  way: SmsWay,
): readonly SmsMeasurement[] =>
  all.filter(
    (one) => one.recipients === recipients && one.organisations === organisations && one.way === way,
  );

function formatLine(all: readonly SmsMeasurement[], scenario: SmsScenario, way: SmsWay): string {
  const rounds = measuredIn(all, scenario, way);
  const perSecond = median(rounds.map((one) => one.perSecond));
  const cells = [
    number(perSecond, perSecond < 100 ? 1 : 0),
    number(perSecond * scenario.recipients),
    number(median(rounds.map(({ p50 }) => p50)), 1),
    number(median(rounds.map(({ p99 }) => p99)), 1),
  ];
  return (
    `${labelOf(scenario)}, ${smsWays[way]}`.padEnd(labelWidth) +
    cells.map((cell) => cell.padStart(14)).join('')
  );
}

/** The median of the ratios of the rounds: measurements of one round share the noise. */
export function ratioAt(all: readonly SmsMeasurement[], scenario: SmsScenario): number {
  const direct = measuredIn(all, scenario, 'direct');
  return median(
    measuredIn(all, scenario, 'delivering').flatMap(({ round, perSecond }) =>
      direct.filter((pair) => pair.round === round).map((pair) => perSecond / pair.perSecond),
    ),
  );
}
