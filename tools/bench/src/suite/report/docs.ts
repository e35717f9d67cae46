import { readFile, writeFile } from 'node:fs/promises';
import { projectFile } from '../../scripts.js';
import { type Machine, machineText } from '../machine.js';
import type { Outcome, Scenario } from '../scenario.js';
import type { Measured } from './result.js';
import { suiteReport } from './suite-report.js';

const page = projectFile('docs/inside/performance.md');
const store = projectFile('docs/inside/performance.json');
const begin = '<!-- results: written by pnpm bench --docs -->';
const end = '<!-- end of results -->';

/** A scenario with its outcome, and where it was measured. */
export interface Result extends Measured {
  readonly machine: Machine;
}

export type Stored = Readonly<
  Record<string, { readonly outcome: Outcome; readonly machine: Machine } | undefined>
>;

/** The scenarios that were measured, as the page shows them. */
export function renderDocs(scenarios: readonly Scenario[], stored: Stored): string {
  const results = scenarios.flatMap((scenario) => {
    const result = stored[scenario.name];
    return result ? [{ scenario, ...result }] : [];
  });
  const lines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  return [suiteReport(results).join('\n'), ...lines.map((line) => `Measured: ${line}.`)].join('\n\n');
}

/** Replaces what is between the two comments. @throws if they are missing */
export function replaceResults(text: string, results: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page needs the comments ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${results}\n\n${text.slice(to)}`;
}

/** Replaces the stored results of the scenarios that were measured, and the table of all. */
export async function updateDocs(scenarios: readonly Scenario[], results: readonly Result[]): Promise<void> {
  const earlier = JSON.parse(await readFile(store, 'utf8')) as Stored;
  const stored = Object.fromEntries(
    scenarios.flatMap(({ name }) => {
      const result = results.find(({ scenario, outcome }) => scenario.name === name && 'pairs' in outcome);
      const one = result ? { outcome: result.outcome, machine: result.machine } : earlier[name];
      return one ? [[name, one]] : [];
    }),
  );
  await writeFile(store, `${JSON.stringify(stored, undefined, 2)}\n`);
  await writeFile(page, replaceResults(await readFile(page, 'utf8'), renderDocs(scenarios, stored)));
}
