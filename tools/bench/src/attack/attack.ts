import { bench, type Print, type Track } from '../bench.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { titles } from './attack-names.js';
import { type AttackOptions, attackOptions } from './attack-options.js';
import { attackReport, type AttackRound } from './attack-report.js';
import { AttackRun } from './attack-run.js';

export const attack = bench(
  'how much the attacks of one organisation slow down the requests and callbacks of another',
  attackOptions,
  measure,
);

function measure(options: AttackOptions, print: Print, track: Track): Promise<number> {
  print(`One organisation sends ${options.rate} requests/s, another attacks; the queue on ${options.on}`);
  return BenchEnvironment.for(options.on, track, async (environment) => {
    const run = await AttackRun.start(environment);
    const rounds: AttackRound[] = [];
    for (const name of options.only) {
      for (let round = 1; round <= options.rounds; round += 1) {
        const measured = await run.measure(name, options);
        rounds.push(measured);
        print(`round ${round}/${options.rounds}, ${titles[name]}: ${describeRound(measured)}`);
      }
    }
    const { lines, holds } = attackReport(rounds);
    for (const line of lines) print(line);
    return options.assert && !holds ? 1 : 0;
  });
}

function describeRound({ before, during, answers }: AttackRound): string {
  const times = (['requests', 'callbacks'] as const).map(
    (of) => `${of} p99 ${before[of].p99.toFixed(1)} → ${during[of].p99.toFixed(1)} ms`,
  );
  const answered = Object.entries(answers).map(([answer, count]) => `${count} × ${answer}`);
  return `${times.join(', ')}; the attacker got ${answered.join(', ') || 'nothing'}`;
}
