import { bench, type Track, type Print } from '../bench.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { type CallbackRound, type LatencySummary, summarize, compareRounds } from './callback-report.js';
import { type CallbackOptions, callbackOptions, oneHangsOf } from './callback-options.js';
import { CallbackRun } from './callback-run.js';

const warmUpSeconds = 3;

export const callbacks = bench(
  'how much hanging hosts slow down the callbacks of healthy ones',
  callbackOptions,
  measure,
);

function measure(options: CallbackOptions, print: Print, track: Track): Promise<number> {
  const { hosts, rate, on } = options;
  print(`${hosts} hosts, a fifth of them hanging; ${rate} callbacks/s to each; the queue on ${on}`);
  print('Two systems run at the same time, so that they share the noise: one without the hanging hosts');
  return BenchEnvironment.for(on, track, (one) =>
    BenchEnvironment.for(on, track, async (other) => {
      const runs = [await CallbackRun.start(one), await CallbackRun.start(other)];
      const { line, holds } = compareRounds(await measureAll(runs, options, print));
      print(line);
      return options.assert && !holds ? 1 : 0;
    }),
  );
}

/** The systems swap roles after every round. */
async function measureAll(
  runs: readonly CallbackRun[],
  options: CallbackOptions,
  print: Print,
): Promise<CallbackRound[]> {
  const hanging = options.hosts / oneHangsOf;
  const systems = await Promise.all(
    runs.map(async (run) => ({ run, healthy: await run.openConsumers('healthy', options.hosts - hanging) })),
  );
  const measure = async (
    { run, healthy }: (typeof systems)[number],
    others: readonly string[],
    seconds?: number,
  ) => summarize(await run.measure(healthy, others, { ...options, ...(seconds && { seconds }) }));
  await Promise.all(systems.map((system) => measure(system, [], Math.min(warmUpSeconds, options.seconds))));
  const rounds: CallbackRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const [one, other] = round % 2 === 1 ? systems : systems.toReversed();
    if (!one || !other) throw new Error('Two systems are needed');
    // New hosts in every round: the worker already knows that the old ones hang.
    const silent = await other.run.openConsumers('hanging', hanging);
    const [alone, beside] = await Promise.all([measure(one, []), measure(other, silent)]);
    rounds.push({ alone, beside });
    print(
      `round ${round}/${options.rounds}: without hanging hosts ${shown(alone)}; with them ${shown(beside)}`,
    );
  }
  return rounds;
}

const shown = ({ median, p99 }: LatencySummary): string => `median ${median} ms, p99 ${p99} ms`;
