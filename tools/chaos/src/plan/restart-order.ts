import { Random } from './random.js';

/** The processes in rounds: each once per round, in an order that the seed decides. */
export function* restartOrder(seed: number, processes: readonly string[]): Generator<string, never> {
  const random = new Random(seed, 'restarts');
  for (;;) yield* random.shuffle(processes);
}
