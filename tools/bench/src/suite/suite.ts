import { writeFile } from 'node:fs/promises';
import { formatHelp, readOptions } from '@gangan/testing';
import type { Bench, Print, Session } from '../bench.js';
import { describeMachine, machineText } from './machine.js';
import type { Part } from './part.js';
import { type Result, updateDocs } from './report/docs.js';
import { barText, checkResults, suiteReport } from './report/suite-report.js';
import { missingFor } from './requirements.js';
import type { Outcome, Scenario, SuiteContext } from './scenario.js';
import { parts } from './scenarios.js';
import { type SuiteOptions, suiteOptions } from './suite-options.js';

const nameWidth = 24;
const all: readonly Scenario[] = parts.flatMap(({ scenarios }) => scenarios);

export const suite: Bench = {
  usage: `pnpm bench [options]\n\n  every scenario, compared with its bar\n\n${formatHelp(suiteOptions)}`,
  run: (args, session) => run(readOptions(suiteOptions, args), session),
};

async function run(options: SuiteOptions, session: Session): Promise<number> {
  const { print } = session;
  if (options.list) {
    for (const scenario of all) print(describe(scenario));
    if (options.docs) await updateDocs(all, []);
    return 0;
  }
  print(machineText(describeMachine()));
  const results = await measureAll(options, session);
  const { lines, passes } = checkResults(results);
  print('');
  for (const line of suiteReport(results)) print(line);
  print('The result is the median over the rounds, the spread their quartiles.\n');
  for (const line of lines) print(line);
  if (options.out !== '') await writeFile(options.out, `${JSON.stringify(results, undefined, 2)}\n`);
  if (options.docs) await updateDocs(all, results);
  const failed = results.some(({ outcome }) => 'failed' in outcome);
  return failed || (options.check && !passes) ? 1 : 0;
}

/** A part that fails does not stop the others. */
async function measureAll(options: SuiteOptions, { print, resources }: Session): Promise<Result[]> {
  const results: Result[] = [];
  const [machine, started] = [describeMachine(), performance.now()];
  const timed: Print = (line) => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    print(`${String(seconds).padStart(4)} s  ${line}`);
  };
  const context = { ...options, warmUp: options['warm-up'], print: timed, resources };
  for (const part of parts) {
    const chosen = part.scenarios.filter((scenario) => isChosen(scenario, options));
    const outcomes = await measurePart(part, chosen, context);
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
  for (const { name, needs } of chosen) {
    const skipped = missingFor(needs);
    if (skipped === undefined) continue;
    outcomes.set(name, { skipped });
    context.print(`${name} is skipped: ${skipped}`);
  }
  const names = chosen.map(({ name }) => name).filter((name) => !outcomes.has(name));
  if (names.length === 0) return outcomes;
  context.print(`${part.title}: ${names.join(', ')}`);
  try {
    for (const [name, outcome] of await part.measure(new Set(names), context)) outcomes.set(name, outcome);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    context.print(`${part.title} failed: ${failed}`);
    for (const name of names) outcomes.set(name, { failed });
  }
  return outcomes;
}

const describe = (scenario: Scenario): string => {
  const { name, title, comparedWith, long } = scenario;
  const compared = comparedWith === undefined ? '' : ` ÷ ${comparedWith}`;
  return `${name.padEnd(nameWidth)}${title}${compared}: ${barText(scenario)}${long ? ' (long)' : ''}`;
};
