import { appOf } from '../system/process-names.js';
import { Random } from './random.js';

/**
 * The processes in rounds: each once per round, those of one app directly after each other, as a deployment tool restarts
 * them. The seed decides the order of the apps, and of the processes of an app.
 */
export function* restartOrder(seed: number, processes: readonly string[]): Generator<string, never> {
  const random = new Random(seed, 'restarts');
  const apps = [...new Set(processes.map(appOf))];
  for (;;)
    for (const app of random.shuffle(apps))
      yield* random.shuffle(processes.filter((process) => appOf(process) === app));
}
