import { isInstalled, type Print, UsageError } from '@gangan/testing';
import type { ChaosOptions } from './options.js';
import { holds } from './report/result.js';
import { resultLines } from './report/table.js';
import {
  conditionsOf,
  hasConditions,
  readResult,
  resultFile,
  type StoredResult,
  writeError,
  writeResult,
} from './report/write-result.js';
import { run } from './run/run.js';

/** One run per seed and queue. Runs that have a result are skipped, so an interrupted campaign continues. @returns the exit code */
export async function runCampaign(
  options: ChaosOptions,
  print: Print,
  interrupted: AbortSignal,
  runOnce: typeof run = run,
): Promise<number> {
  const { plan, seed: seeds, queue: queues, out } = options;
  if (plan === 'rolling-restart' && !isInstalled('haproxy'))
    throw new UsageError(`--plan ${plan} is not possible: haproxy is not installed (Debian package haproxy)`);
  const runs = seeds.flatMap((seed) => queues.map((queue) => ({ seed, queue })));
  const conditions = conditionsOf(options);
  const stored = new Map<string, StoredResult>();
  for (const file of out === '' ? [] : runs.map((one) => resultFile(out, { plan, ...one }))) {
    const found = readResult(file);
    if (found && !hasConditions(found, conditions))
      throw new UsageError(`${file} has other options or another commit. Delete it, or use another folder.`);
    if (found) stored.set(file, found);
  }
  const failed: string[] = [];
  for (const { seed, queue } of runs) {
    const [name, file] = [`seed ${seed} on ${queue}`, resultFile(out, { plan, seed, queue })];
    const earlier = stored.get(file);
    if (earlier) {
      print(`${name}: skipped, ${file} exists (${earlier.holds ? 'all promises hold' : 'failed'})`);
      if (!earlier.holds) failed.push(name);
      continue;
    }
    print(`${name}: ${options.seconds} s of traffic and ${plan === 'faults' ? 'faults' : 'restarts'}`);
    try {
      const result = await runOnce({ seed, queue, options, print, interrupted });
      for (const line of resultLines(result)) print(line);
      if (out !== '') writeResult(out, result, conditions);
      if (!holds(result)) failed.push(name);
    } catch (error) {
      if (interrupted.aborted) throw error;
      const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
      print(`${name}: ${details}`);
      if (out !== '') writeError(out, { plan, seed, queue }, details, conditions);
      failed.push(name);
    }
  }
  if (runs.length > 1)
    print(`${runs.length} runs, ${failed.length} failed${failed.length > 0 ? `: ${failed.join('; ')}` : ''}`);
  return failed.length > 0 ? 1 : 0;
}
