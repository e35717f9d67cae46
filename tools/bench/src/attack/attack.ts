import { formatHelp, readOptions, UsageError } from '@gangan/testing';
import type { Bench, Session } from '../bench.js';
import { BenchEnvironment } from '../environment/bench-environment.js';
import { processorTimeKnown } from '../environment/processor-time.js';
import { type AttackOptions, attackOptions } from './attack-options.js';
import { AttackRun } from './attack-run.js';
import { attackOf } from './attacks.js';
import type { Answers } from './orders.js';
import { cellsOf, costReport, type CostRound, costsOf } from './report/cost-report.js';
import { type SlowdownRound, slowdownReport } from './report/slowdown-report.js';

const purpose = 'what hostile requests cost, and how much the attacks of one organisation slow down another';

export const attack: Bench = {
  usage: `pnpm bench attack [options]\n\n  ${purpose}\n\n${formatHelp(attackOptions)}`,
  run: (args, session) => run(readOptions(attackOptions, args), session),
};

async function run(options: AttackOptions, { print, resources }: Session): Promise<number> {
  if (!processorTimeKnown)
    throw new UsageError('pnpm bench attack reads processor times in /proc: it needs Linux');
  const attackRun = await AttackRun.start(await BenchEnvironment.start(options.on, resources));
  const costs: CostRound[] = [];
  const rounds: SlowdownRound[] = [];
  for (const name of options.only) {
    for (let round = 1; round <= options.rounds; round += 1) {
      const title = `round ${round}/${options.rounds}, ${attackOf(name).title}`;
      const cost = options.measure.includes('cost') ? await attackRun.measureCost(name, options) : undefined;
      if (cost) {
        costs.push(cost);
        print(`${title}: ${describeCost(cost)}`);
      }
      if (!options.measure.includes('slowdown')) continue;
      const measured = await attackRun.measureSlowdown(name, options);
      rounds.push(measured);
      print(`${title}: ${describeRound(measured)}`);
    }
  }
  const reports = [costReport(costs), slowdownReport(rounds, options.slowdown)];
  for (const { lines } of reports) for (const line of ['', ...lines]) print(line);
  const faults = reports.flatMap((report) => report.faults);
  for (const fault of faults) print(`too much: ${fault}`);
  return options.check && faults.length > 0 ? 1 : 0;
}

function describeCost(cost: CostRound): string {
  const used = costsOf([cost]).map((one) => {
    const [name, before, after, ratio] = cellsOf(one);
    return `${name} ${before} → ${after} (${ratio})`;
  });
  const { plain, hostile } = cost;
  return `processor time of ${used.join(', ')}; answered ${describeAnswers(plain.answers)} → ${describeAnswers(hostile.answers)}`;
}

function describeRound({ ordinary, during, memory, peak, answers }: SlowdownRound): string {
  const times = (['requests', 'callbacks'] as const).map(
    (of) => `${of} p99 ${ordinary[of].toFixed(1)} → ${during[of].toFixed(1)} ms`,
  );
  const grown = `gateway ${memory.toFixed(0)} → ${peak.toFixed(0)} MB`;
  return `${[...times, grown].join(', ')}; the attacker got ${describeAnswers(answers)}`;
}

const describeAnswers = (answers: Answers): string =>
  Object.entries(answers)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', ') || 'nothing';
