import { existsSync } from 'node:fs';
import type { ChaosOptions } from './options.js';
import { holds } from './report/result.js';
import { resultLines } from './report/table.js';
import { resultFile, writeResult } from './report/write-result.js';
import { type Print, run } from './run/run.js';

/** One run per seed and queue. Runs that have a result are skipped, so an interrupted campaign continues. @returns the exit code */
export async function runCampaign(
  options: ChaosOptions,
  print: Print,
  interrupted: AbortSignal,
  runOnce: typeof run = run,
): Promise<number> {
  const { seed: seeds, queue: queues, out } = options;
  const runs = seeds.flatMap((seed) => queues.map((queue) => ({ seed, queue })));
  const failed: string[] = [];
  for (const { seed, queue } of runs) {
    const name = `seed ${seed} on ${queue}`;
    if (out !== '' && existsSync(resultFile(out, { seed, queue }))) {
      print(`${name}: skipped, ${resultFile(out, { seed, queue })} exists`);
      continue;
    }
    print(`${name}: ${options.seconds} s of traffic and faults`);
    const result = await runOnce({ seed, queue, options, print, interrupted });
    for (const line of resultLines(result)) print(line);
    if (out !== '') writeResult(out, result);
    if (!holds(result)) failed.push(name);
  }
  if (runs.length > 1)
    print(
      `${runs.length} runs, ${failed.length} with violations${failed.length > 0 ? `: ${failed.join('; ')}` : ''}`,
    );
  return failed.length > 0 ? 1 : 0;
}
