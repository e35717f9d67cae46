import { UsageError } from '@gangan/testing';
import { bench, type Print, type Track } from '../bench.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { processorTimeKnown } from '../environment/processor-time.js';
import { type AttackOptions, attackOptions } from './attack-options.js';
import { attackReport, type AttackRound } from './report/attack-report.js';
import { AttackRun } from './attack-run.js';
import type { Answers } from './attacker-order.js';
import { attackOf } from './attacks.js';
import { cellsOf, costReport, type CostRound, costsOf } from './report/cost-report.js';

export const attack = bench(
  'what hostile requests cost, and how much the attacks of one organisation slow down another',
  attackOptions,
  measure,
);

function measure(options: AttackOptions, print: Print, track: Track): Promise<number> {
  if (!processorTimeKnown)
    throw new UsageError('pnpm bench attack reads processor times in /proc: it needs Linux');
  print(`One organisation sends ${options.rate} requests/s, another attacks; the queue on ${options.on}`);
  return BenchEnvironment.for(options.on, track, async (environment) => {
    const run = await AttackRun.start(environment);
    const costs: CostRound[] = [];
    const rounds: AttackRound[] = [];
    for (const name of options.only) {
      for (let round = 1; round <= options.rounds; round += 1) {
        const title = `round ${round}/${options.rounds}, ${attackOf(name).title}`;
        const cost = options.measure.includes('cost') ? await run.measureCost(name, options) : undefined;
        if (cost) {
          costs.push(cost);
          print(`${title}: ${describeCost(cost)}`);
        }
        if (!options.measure.includes('slowdown')) continue;
        const measured = await run.measure(name, options);
        rounds.push(measured);
        print(`${title}: ${describeRound(measured)}`);
      }
    }
    const reports = [costReport(costs), attackReport(rounds, options.slowdown)];
    // A table has a head and at least one line.
    for (const { lines } of reports) if (lines.length > 1) for (const line of lines) print(line);
    const faults = reports.flatMap((report) => report.faults);
    for (const fault of faults) print(`too much: ${fault}`);
    return options.check && faults.length > 0 ? 1 : 0;
  });
}

function describeCost(cost: CostRound): string {
  const used = costsOf([cost]).map((one) => {
    const [name, before, after, ratio] = cellsOf(one);
    return `${name} ${before} → ${after} (${ratio})`;
  });
  const { plain, hostile } = cost;
  return `processor time of ${used.join(', ')}; answered ${describeAnswers(plain.answers)} → ${describeAnswers(hostile.answers)}`;
}

function describeRound({ before, during, memory, answers }: AttackRound): string {
  const times = (['requests', 'callbacks'] as const).map(
    (of) => `${of} p99 ${before[of].p99.toFixed(1)} → ${during[of].p99.toFixed(1)} ms`,
  );
  const grown = `gateway ${memory.before.toFixed(0)} → ${memory.peak.toFixed(0)} MB`;
  return `${[...times, grown].join(', ')}; the attacker got ${describeAnswers(answers)}`;
}

const describeAnswers = (answers: Answers): string =>
  Object.entries(answers)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', ') || 'nothing';
