import { missedAims } from './aims.js';
import { type Outage, recoveryMs } from './outages.js';
import { holds, type RunResult } from './result.js';

/** Violations of one check that are printed; the JSON has all. */
const maxShown = 5;

/** The result of a run for the terminal. */
export function resultLines(result: RunResult): string[] {
  const violations = result.checks.flatMap((check) => check.violations);
  const left = Object.entries(result.unfinished).map(([kind, count]) => `${count} ${kind}`);
  return [
    '',
    ...trafficLines(result),
    '',
    ...faultLines(result),
    '',
    ...result.checks.map(({ promise, violations: { length } }) => verdict(length, promise)),
    verdict(left.length, `everything is final${left.length > 0 ? `, except ${left.join(', ')}` : ''}`),
    ...shownViolations(result),
    ...missedAims(result).map((missed) => `  aim missed: ${missed}`),
    '',
    `Final ${(result.settledAfterMs / 1_000).toFixed(1)} s after the last fault. Seed ${result.seed}, queue on ${result.queue}: ` +
      (holds(result) ? 'all promises hold' : countOf(violations.length + left.length, 'violation')),
  ];
}

const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const verdict = (count: number, promise: string): string =>
  `  ${count === 0 ? 'holds   ' : `${count} broken`.padEnd(8)}  ${promise}`;

function trafficLines(result: RunResult): string[] {
  const { answers, attempts, intents, callbacks, resentCallbacks: resent } = result;
  const { medianMs, p99Ms, longestMs } = result.responseTimes;
  const kinds = [...new Set(answers.map(({ request }) => request.intent.kind))].toSorted();
  const rows = kinds.map((kind) => {
    const own = answers.filter(({ request, again }) => request.intent.kind === kind && !again);
    return `  ${kind.padEnd(10)} ${String(own.length).padStart(6)} requests: ${countsOf(own.map(({ status }) => status || 'none'))}`;
  });
  const sorted = Object.entries(attempts).map(([status, count]) => `${count} × ${status}`);
  return [
    `${intents} intents of clients, ${callbacks} callbacks received`,
    ...rows,
    `  attempts of clients: ${sorted.join(', ')}`,
    `  half of the responses took at most ${medianMs} ms, 99 % ${p99Ms} ms, all ${longestMs} ms`,
    ...(resent > 0
      ? [
          `  ${countOf(resent, 'callback was', 'callbacks were')} resent on request: ` +
            'they had failed twice and were due in more than 15 s',
        ]
      : []),
  ];
}

function faultLines({ faults, restarts, skipped, outages, watchdogExits }: RunResult): string[] {
  const [effective, ineffective] = [true, false].map((wanted) =>
    faults.flatMap(({ fault, effect }) => ((effect !== undefined) === wanted ? fault : [])),
  ) as [string[], string[]];
  const never = [...new Set(ineffective)].filter((fault) => !effective.includes(fault));
  return [
    `${effective.length} faults: ${countsOf(effective)}; processes restarted ${restarts} times`,
    ...(ineffective.length > 0 ? [`  without effect: ${countsOf(ineffective)}`] : []),
    ...(never.length > 0 ? [`  kinds that never had an effect: ${never.join(', ')}`] : []),
    ...(watchdogExits > 0
      ? [
          `  ${countOf(watchdogExits, 'process ended itself', 'processes ended themselves')} because of a hang`,
        ]
      : []),
    ...(outages.length > 0 ? [outageLine(outages)] : []),
    ...skipped.map(({ fault, reason }) => `  skipped ${fault}: ${reason}`),
  ];
}

/** Requests that take longer are counted. */
const longWaitMs = 2_000;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const outageLine = (outages: readonly Outage[]): string => {
  const waits = outages.flatMap(({ waitsMs }) => waitsMs).toSorted((one, other) => one - other);
  const long = waits.filter((ms) => ms > longWaitMs).length;
  const failed = outages.reduce((sum, outage) => sum + outage.failed, 0);
  const times =
    waits.length === 0
      ? 'no request was made'
      : `${countOf(waits.length, 'request')} took ${seconds(waits[Math.floor(waits.length / 2)] ?? 0)} (median) ` +
        `to ${seconds(waits.at(-1) ?? 0)}, ${long} of them more than ${seconds(longWaitMs)}; ${failed} failed`;
  return (
    `  While Postgres was down and until ${seconds(recoveryMs)} after its return ` +
    `(${countOf(outages.length, 'crash', 'crashes')}), ${times}.${servedSentence(outages)}`
  );
};

function servedSentence(outages: readonly Outage[]): string {
  const times = outages.flatMap(({ servedAfterMs }) => servedAfterMs ?? []);
  if (times.length === 0) return '';
  const longestMs = Math.max(...times);
  if (longestMs === Infinity) return ' After a return no request succeeded.';
  return ` The first request succeeded ${seconds(longestMs)} after the return, at the latest.`;
}

function countsOf(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} × ${value}`).join(', ') || 'none';
}

function shownViolations({ checks }: RunResult): string[] {
  return checks.flatMap(({ violations }) => [
    ...violations
      .slice(0, maxShown)
      .map(({ check, subject, message }) => `    ${check}: ${subject}: ${message}`),
    ...(violations.length > maxShown ? [`    … ${violations.length - maxShown} more`] : []),
  ]);
}
