import type { Clock } from '../faults/clock.js';
import { type FaultName, faultKinds } from './fault-kinds.js';
import { Random } from './random.js';
import { Targets } from './targets.js';

export interface PlannedFault {
  /** Since the start of the traffic. */
  readonly atMs: number;
  readonly fault: FaultName;
  /** A process such as `messaging-1`, `clients`, or empty for a server. */
  readonly target: string;
  readonly durationMs: number;
  /** Of `kill-at-commit`: the number of the COMMIT. */
  readonly commit: number;
  /** Of `wrong-clock`: how far the clock is off. */
  readonly clock: Clock;
}

export interface PlanInput {
  readonly seed: number;
  readonly seconds: number;
  readonly faults: readonly FaultName[];
  /** How many faults; by default one in two and a half seconds. */
  readonly count?: number | undefined;
  /** The processes, such as `gateway-1` and `messaging-2`. */
  readonly processes: readonly string[];
}

/** A minute has all faults, each as often as its weight. */
const msPerFault = 2_500;
/** The first seconds show the system without faults. */
const quietMs = 2_000;
/** A fault ends at most so long after the traffic. */
const overtimeMs = 30_000;
/** Which COMMIT an app dies at, at the latest. */
const maxCommits = 8;

/** The faults of a run, in order of time. The same input gives the same plan. */
export function planFaults({ seed, seconds, faults, count, processes }: PlanInput): PlannedFault[] {
  const random = new Random(seed, 'faults');
  const length = seconds * 1_000;
  const targets = new Targets(random, processes);
  return drawNames(random, faults, count ?? Math.max(1, Math.round(length / msPerFault)))
    .map((fault) => {
      const [min, max] = faultKinds[fault].lasts;
      const durationMs = random.int(min, max);
      const earliest = Math.min(quietMs, length);
      const latest = Math.max(earliest, Math.min(length, length + overtimeMs - durationMs));
      return { atMs: random.int(earliest, latest), fault, durationMs };
    })
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((timed) => ({
      ...timed,
      target: targets.draw(timed),
      commit: random.int(1, maxCommits),
      clock: random.pick(['+10m', '-10m']),
    }));
}

/** In cycles: every kind once, then each as often as its weight. */
function drawNames(random: Random, faults: readonly FaultName[], count: number): FaultName[] {
  const drawn: FaultName[] = [];
  const extra = faults.flatMap((fault) => Array.from({ length: faultKinds[fault].weight - 1 }, () => fault));
  while (faults.length > 0 && drawn.length < count)
    drawn.push(...random.shuffle(faults), ...random.shuffle(extra));
  return drawn.slice(0, count);
}
