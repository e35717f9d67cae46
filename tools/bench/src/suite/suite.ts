import { writeFile } from 'node:fs/promises';
import { formatHelp, type Print, readOptions } from '@gangan/testing';
import type { Bench, Session } from '../bench.js';
import { describeMachine, machineText } from './machine.js';
import { measurePart } from './measure-part.js';
import { parts, scenarios } from './parts.js';
import { type Result, updateDocs } from './report/docs.js';
import { barText, checkResults, suiteReport } from './report/suite-report.js';
import type { Part, Scenario } from './scenario.js';
import { type SuiteOptions, suiteOptions } from './suite-options.js';

const nameWidth = 24;

export const suite: Bench = {
  usage: `pnpm bench [options]\n\n  every scenario, compared with its bar\n\n${formatHelp(suiteOptions)}`,
  run: (args, session) => run(readOptions(suiteOptions, args), session),
};

async function run(options: SuiteOptions, session: Session): Promise<number> {
  const { print } = session;
  if (options.list) {
    for (const part of parts) for (const scenario of part.scenarios) print(describe(scenario, part));
    if (options.docs) await updateDocs(scenarios, []);
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
  if (options.docs) await updateDocs(scenarios, results);
  const failed = results.some(({ outcome }) => 'failed' in outcome);
  return failed || (options.check && !passes) ? 1 : 0;
}

async function measureAll(options: SuiteOptions, { print, resources }: Session): Promise<Result[]> {
  const results: Result[] = [];
  const [machine, started] = [describeMachine(), performance.now()];
  const timed: Print = (line) => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    print(`${String(seconds).padStart(4)} s  ${line}`);
  };
  const context = { ...options, warmUp: options['warm-up'], print: timed, resources };
  const { only, long } = options;
  for (const part of parts) {
    const chosen = part.scenarios.filter(({ name }) =>
      only.length > 0 ? only.includes(name) : (part.long ?? false) === long,
    );
    const names = chosen.map(({ name }) => name);
    const outcomes = await measurePart(part, names, context);
    for (const scenario of chosen) {
      const outcome = outcomes.get(scenario.name);
      if (outcome) results.push({ scenario, outcome, machine });
    }
  }
  return results;
}

const describe = (scenario: Scenario, { long }: Part): string => {
  const { name, title, beside } = scenario;
  const compared = beside === undefined ? '' : ` ÷ ${beside}`;
  return `${name.padEnd(nameWidth)}${title}${compared}: ${barText(scenario)}${long ? ' (long)' : ''}`;
};
