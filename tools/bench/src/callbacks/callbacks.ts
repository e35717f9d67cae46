import { bench, type Running, type Say } from '../bench.js';
import { Stage } from '../stage/stage.js';
import { type CallbackRound, type Half, halfOf, verdictOf } from './callback-report.js';
import { type CallbackOptions, callbackOptions, oneHangsOf } from './callback-options.js';
import { CallbackRun } from './callback-run.js';

const warmUpSeconds = 3;

/** Whether hosts that hang are felt by those that do not. */
export const callbacks = bench('what hosts that hang cost those that do not', callbackOptions, measure);

function measure(options: CallbackOptions, say: Say, running: Running): Promise<number> {
  const { hosts, rate, on } = options;
  say(`${hosts} hosts, of which a fifth hangs; ${rate} callbacks/s to each; the queue on ${on}`);
  say('Two systems at the same time, so that they share the noise: one without the hosts that hang');
  return Stage.for(on, running, (one) =>
    Stage.for(on, running, async (other) => {
      const runs = [await CallbackRun.start(one), await CallbackRun.start(other)];
      const { line, holds } = verdictOf(await measureAll(runs, options, say));
      say(line);
      return options.assert && !holds ? 1 : 0;
    }),
  );
}

/** They change places after every round. */
async function measureAll(
  runs: readonly CallbackRun[],
  options: CallbackOptions,
  say: Say,
): Promise<CallbackRound[]> {
  const hanging = options.hosts / oneHangsOf;
  const systems = await Promise.all(
    runs.map(async (run) => ({ run, healthy: await run.openConsumers('healthy', options.hosts - hanging) })),
  );
  const measure = async (
    { run, healthy }: (typeof systems)[number],
    others: readonly string[],
    seconds?: number,
  ) => halfOf(await run.measure(healthy, others, { ...options, ...(seconds && { seconds }) }));
  await Promise.all(systems.map((system) => measure(system, [], warmUpSeconds)));
  const rounds: CallbackRound[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const [one, other] = round % 2 === 1 ? systems : systems.toReversed();
    if (!one || !other) throw new Error('There are not two systems to compare');
    // Unknown ones in every round: those of the last are known for what they are.
    const silent = await other.run.openConsumers('hanging', hanging);
    const [alone, beside] = await Promise.all([measure(one, []), measure(other, silent)]);
    rounds.push({ alone, beside });
    say(`round ${round}/${options.rounds}: alone ${shown(alone)}; beside hanging hosts ${shown(beside)}`);
  }
  return rounds;
}

const shown = ({ median, p99 }: Half): string => `median ${median} ms, p99 ${p99} ms`;
