import { type FaultName, faultKinds } from './fault-kinds.js';
import { Random } from './random.js';

export interface PlannedFault {
  /** Since the start of the traffic. */
  readonly atMs: number;
  readonly fault: FaultName;
  /** A process such as `messaging-1`, `clients`, or empty for a server. */
  readonly target: string;
  readonly durationMs: number;
}

export interface PlanInput {
  readonly seed: number;
  readonly seconds: number;
  readonly faults: readonly FaultName[];
  /** How many faults; by default one in four seconds. */
  readonly count?: number | undefined;
  /** The processes, such as `gateway-1` and `messaging-2`. */
  readonly processes: readonly string[];
}

const msPerFault = 4_000;
/** The first seconds show the system without faults. */
const quietMs = 2_000;

/** The faults of a run, in order of time. The same input gives the same plan. */
export function planFaults({ seed, seconds, faults, count, processes }: PlanInput): PlannedFault[] {
  const random = new Random(seed, 'faults');
  const length = seconds * 1_000;
  const wanted = count ?? Math.max(1, Math.round(length / msPerFault));
  const names = drawNames(random, faults, wanted);
  const times = names
    .map(() => random.int(Math.min(quietMs, length), length))
    .toSorted((one, other) => one - other);
  return names.map((fault, index) => {
    const [min, max] = faultKinds[fault].lasts;
    return {
      atMs: times[index] ?? 0,
      fault,
      target: drawTarget(random, fault, processes),
      durationMs: random.int(min, max),
    };
  });
}

/** Every kind comes before any comes more often than its weight. */
function drawNames(random: Random, faults: readonly FaultName[], count: number): FaultName[] {
  const drawn: FaultName[] = [];
  const extra = faults.flatMap((fault) => Array.from({ length: faultKinds[fault].weight - 1 }, () => fault));
  while (faults.length > 0 && drawn.length < count)
    drawn.push(...random.shuffle(faults), ...random.shuffle(extra));
  return random.shuffle(drawn.slice(0, count));
}

function drawTarget(random: Random, fault: FaultName, processes: readonly string[]): string {
  const { target } = faultKinds[fault];
  const workers = processes.filter((name) => !name.startsWith('gateway'));
  // They have most to lose: leases, refunds and callbacks.
  const busy = processes.filter((name) => /^(?:messaging|airtime)/.test(name));
  const pickOf = (names: readonly string[]): string => random.shuffle(names)[0] ?? '';
  switch (target) {
    case 'process':
    case 'database':
      return pickOf([...processes, ...busy, ...busy]);
    case 'worker':
      return pickOf(workers);
    case 'busy':
      return pickOf(busy);
    case 'answers':
      return random.chance(0.3) ? 'clients' : pickOf([...processes, ...busy, ...busy, ...busy]);
    case 'server':
      return '';
  }
}
