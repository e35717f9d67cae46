import type { LoggedFault } from '../run/fault-log.js';
import type { RunResult } from './result.js';

interface Series {
  readonly label: string;
  readonly color: string;
  readonly includes: (result: string) => boolean;
}

/** From the bottom of a bar to its top. */
const series: readonly Series[] = [
  { label: '2xx', color: '#2e9e5b', includes: (result) => result.startsWith('2') },
  { label: '409, 429', color: '#e0b020', includes: (result) => result === '409' || result === '429' },
  { label: 'other 4xx', color: '#7f8c9b', includes: (result) => /^4(?!09|29)/.test(result) },
  { label: '503', color: '#e07b20', includes: (result) => result === '503' },
  { label: 'other 5xx', color: '#c0282d', includes: (result) => /^5(?!03)/.test(result) },
  { label: 'no response', color: '#6b3fa0', includes: (result) => result === 'none' },
];

const margin = { left: 56, right: 24, top: 56 };
const plotHeight = 220;
const rowHeight = 15;
const minWidth = 900;
/** At most, on average. */
const letterWidth = 7;

type Result = Pick<RunResult, 'seed' | 'queue' | 'seconds' | 'perSecond' | 'faults' | 'settledAfterMs'>;

/** Requests by status per second as stacked bars, and below them the faults. */
export function timelineSvg(result: Result): string {
  const { perSecond, faults } = result;
  const lastMs = Math.max(1_000, perSecond.length * 1_000, ...faults.map(({ endedMs }) => endedMs));
  const width = Math.max(minWidth, margin.left + margin.right + lastMs / 250);
  const scale = (width - margin.left - margin.right) / lastMs;
  const x = (ms: number): number => margin.left + ms * scale;
  const highest = Math.max(1, ...perSecond.map((counts) => sum(Object.values(counts))));
  const bottom = margin.top + plotHeight;
  const height = bottom + 44 + faults.length * rowHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    text(
      margin.left,
      20,
      `Seed ${result.seed}, queue on ${result.queue}: requests per second by status`,
      'font-size="14"',
    ),
    ...legend(),
    ...horizontalLines(highest, bottom, width),
    ...perSecond.flatMap((counts, second) => bar(counts, x(second * 1_000), 1_000 * scale, highest, bottom)),
    ...timeLabels(lastMs, x, bottom),
    ...faults
      .toSorted((one, other) => one.beganMs - other.beganMs)
      .flatMap((fault, index) => faultMarks(fault, x, width, bottom + 40 + index * rowHeight)),
    '</svg>\n',
  ].join('\n');
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const round = (value: number): number => Math.round(value * 10) / 10;

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${content}</text>`;

const rect = (x: number, y: number, width: number, height: number, fill: string, title = ''): string =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}">${title && `<title>${title}</title>`}</rect>`;

const legend = (): string[] =>
  series.flatMap(({ label, color }, index) => {
    const left = margin.left + index * 110;
    return [rect(left, 32, 10, 10, color), text(left + 15, 41, label)];
  });

function horizontalLines(highest: number, bottom: number, width: number): string[] {
  const step = niceStep(highest);
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, index) => {
    const y = round(bottom - (index * step * plotHeight) / highest);
    return (
      `<line x1="${margin.left}" x2="${round(width - margin.right)}" y1="${y}" y2="${y}" stroke="#dddddd"/>` +
      text(margin.left - 6, y + 4, String(index * step), 'text-anchor="end"')
    );
  });
}

/** About five lines at round numbers. */
function niceStep(highest: number): number {
  const rough = highest / 5;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? 1;
}

function bar(
  counts: Readonly<Record<string, number>>,
  x: number,
  width: number,
  highest: number,
  bottom: number,
): string[] {
  let y = bottom;
  return series.flatMap(({ color, includes, label }) => {
    const count = sum(Object.entries(counts).flatMap(([result, number]) => (includes(result) ? number : [])));
    if (count === 0) return [];
    const height = (count * plotHeight) / highest;
    y -= height;
    return [rect(x + 0.5, y, Math.max(0.5, width - 1), height, color, `${count} × ${label}`)];
  });
}

function timeLabels(lastMs: number, x: (ms: number) => number, bottom: number): string[] {
  const stepMs = niceStep(lastMs / 1_000 / 2) * 1_000;
  return Array.from({ length: Math.floor(lastMs / stepMs) + 1 }, (_, index) =>
    text(x(index * stepMs), bottom + 16, `${(index * stepMs) / 1_000} s`, 'text-anchor="middle"'),
  );
}

/** A line through the bars where the fault began, and its duration in a row of its own. */
function faultMarks(
  { fault, target, beganMs, endedMs }: LoggedFault,
  x: (ms: number) => number,
  width: number,
  y: number,
): string[] {
  const [from, to] = [x(beganMs), x(endedMs)];
  const line = `x1="${round(from)}" x2="${round(from)}" y1="${margin.top}" y2="${round(y)}"`;
  const label = `${fault}${target && ` ${target}`}`;
  const fitsRight = to + label.length * letterWidth < width;
  return [
    `<line ${line} stroke="#333333" stroke-width="0.6" stroke-dasharray="2 3" opacity="0.6"/>`,
    rect(from, y - 9, Math.max(3, to - from), 10, '#333333', `${label}, ${beganMs} to ${endedMs} ms`),
    fitsRight ? text(to + 6, y, label) : text(from - 6, y, label, 'text-anchor="end"'),
  ];
}
