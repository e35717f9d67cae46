import { readFile, writeFile } from 'node:fs/promises';
import { projectFile } from '../../scripts.js';
import { drawChart } from './chart.js';
import { docsTable, replaceResults } from './docs-table.js';
import { machineText } from '../machine.js';
import type { Result } from './result.js';
import type { Scenario } from '../scenario.js';

const page = projectFile('docs/performance.md');
const chart = projectFile('docs/performance.svg');
const store = projectFile('docs/performance.json');

export type Stored = Readonly<Record<string, Pick<Result, 'outcome' | 'machine'>>>;

const notMeasured = { skipped: 'not measured yet' };

/** What the page shows of the stored results: every scenario, measured or not. */
export function renderDocs(
  scenarios: readonly Scenario[],
  stored: Stored,
): { readonly text: string; readonly svg: string } {
  const results = scenarios.map((scenario) => ({
    scenario,
    outcome: stored[scenario.name]?.outcome ?? notMeasured,
  }));
  const machines = scenarios.flatMap(({ name }) => stored[name]?.machine ?? []).map(machineText);
  const lines = [...new Set(machines)].map((machine) => `Measured: ${machine}.`);
  return { text: [docsTable(results), ...lines].join('\n\n'), svg: drawChart(results) };
}

/** Replaces the stored results of the scenarios that were measured, and the table and chart of all. */
export async function updateDocs(scenarios: readonly Scenario[], results: readonly Result[]): Promise<void> {
  const before = JSON.parse(await readFile(store, 'utf8')) as Stored;
  const measured = results.filter(({ outcome }) => 'pairs' in outcome);
  const stored: Stored = {
    ...before,
    ...Object.fromEntries(
      measured.map(({ scenario, outcome, machine }) => [scenario.name, { outcome, machine }]),
    ),
  };
  const { text, svg } = renderDocs(scenarios, stored);
  await writeFile(store, `${JSON.stringify(stored, undefined, 2)}\n`);
  await writeFile(chart, svg);
  await writeFile(page, replaceResults(await readFile(page, 'utf8'), text));
}
