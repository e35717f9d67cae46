import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { holds, type RunResult } from './result.js';
import { timelineSvg } from './timeline-svg.js';

export const resultFile = (folder: string, { seed, queue }: Pick<RunResult, 'seed' | 'queue'>): string =>
  join(folder, `${queue}-seed-${seed}.json`);

/** Writes the JSON and the SVG of a run. The JSON comes last and at once: its presence means that the run is complete. */
export function writeResult(folder: string, result: RunResult): void {
  mkdirSync(folder, { recursive: true });
  const json = resultFile(folder, result);
  writeFileSync(json.replace(/json$/, 'svg'), timelineSvg(result));
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, memory: totalmem(), node: process.version };
  const answers = result.answers.map(({ request, key, status, attempts, again }) => ({
    ...{ kind: request.intent.kind, step: request.step, key, status, attempts, again },
  }));
  const content = { date: new Date(), machine, holds: holds(result), ...result, answers };
  writeFileSync(`${json}.unfinished`, `${JSON.stringify(content, undefined, 1)}\n`);
  renameSync(`${json}.unfinished`, json);
}
