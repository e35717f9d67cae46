import { writeFile } from 'node:fs/promises';
import { bench, type Print, type Track } from '../bench.js';
import { updateDocs } from './report/docs.js';
import { barText, unitOf } from './report/format.js';
import { describeMachine, machineText } from './machine.js';
import type { Part } from './part.js';
import { missingFor } from './requirements.js';
import type { Machine, Result } from './report/result.js';
import type { Outcome, Scenario, SuiteContext } from './scenario.js';
import { parts } from './scenarios.js';
import { type SuiteOptions, suiteOptions } from './suite-options.js';
import { checkResults, suiteReport } from './report/suite-report.js';

const nameWidth = 24;
const all: readonly Scenario[] = parts.flatMap(({ scenarios }) => scenarios);

export const suite = bench(
  'every scenario, compared with its bar',
  suiteOptions,
  async (options, print, track) => {
    if (options.list) {
      for (const scenario of all) print(describe(scenario));
      if (options.docs) await updateDocs(all, []);
      return 0;
    }
    const machine = describeMachine();
    print(machineText(machine));
    const results = await measureAll(options, machine, print, track);
    print('');
    for (const line of suiteReport(results)) print(line);
    print('The result is the median over the rounds, the spread their quartiles.');
    print('');
    const { lines, passes } = checkResults(results);
    for (const line of lines) print(line);
    if (options.out !== '') await writeFile(options.out, `${JSON.stringify(results, undefined, 2)}\n`);
    if (options.docs) await updateDocs(all, results);
    const failed = results.some(({ outcome }) => 'failed' in outcome);
    return failed || (options.check && !passes) ? 1 : 0;
  },
);

/** A part that fails does not stop the others. */
async function measureAll(
  options: SuiteOptions,
  machine: Machine,
  print: Print,
  track: Track,
): Promise<Result[]> {
  const results: Result[] = [];
  const started = performance.now();
  const timed: Print = (line) => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    print(`${String(seconds).padStart(4)} s  ${line}`);
  };
  for (const part of parts) {
    const chosen = part.scenarios.filter((scenario) => isChosen(scenario, options));
    const outcomes = await measurePart(part, chosen, {
      ...options,
      warmUp: options['warm-up'],
      print: timed,
      track,
    });
    for (const scenario of chosen) {
      const outcome = outcomes.get(scenario.name) ?? { failed: 'it was not measured' };
      results.push({ scenario, outcome, machine });
    }
  }
  return results;
}

const isChosen = ({ name, long }: Scenario, options: SuiteOptions): boolean =>
  options.only.length > 0 ? options.only.includes(name) : long === options.long;

async function measurePart(
  part: Part,
  chosen: readonly Scenario[],
  context: SuiteContext,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const possible = new Set<string>();
  for (const { name, needs } of chosen) {
    const missing = missingFor(needs);
    if (missing === undefined) possible.add(name);
    else {
      outcomes.set(name, { skipped: missing });
      context.print(`${name} is skipped: ${missing}`);
    }
  }
  if (possible.size === 0) return outcomes;
  context.print(`${part.title}: ${[...possible].join(', ')}`);
  try {
    for (const [name, outcome] of await part.measure(possible, context)) outcomes.set(name, outcome);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    context.print(`${part.title} failed: ${failed}`);
    for (const name of possible) outcomes.set(name, { failed });
  }
  return outcomes;
}

const describe = (scenario: Scenario): string => {
  const { name, title, comparedWith, bar, long } = scenario;
  const compared = comparedWith === undefined ? '' : ` ÷ ${comparedWith}`;
  return `${name.padEnd(nameWidth)}${title}${compared}: ${barText(bar, unitOf(scenario))}${long ? ' (long)' : ''}`;
};
