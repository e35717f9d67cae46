import { type FaultName, faultKinds } from './fault-kinds.js';
import type { Random } from './random.js';

interface TimedFault {
  readonly atMs: number;
  readonly fault: FaultName;
  readonly durationMs: number;
}

const appOf = (process: string): string => process.replace(/-\d+$/, '');

/**
 * Draws the targets of faults, in order of time. Messaging and airtime, which hold leases, refunds and callbacks, are
 * disturbed most often. A process has one fault at a time, so that each can take effect, and of an app with several
 * processes one is never stopped.
 */
export class Targets {
  private readonly disturbedUntil = new Map<string, number>();
  private readonly stoppedUntil = new Map<string, number>();
  private readonly often: readonly string[];
  private readonly nextOfAnswers: () => readonly string[];
  private readonly nextOfDelivering: () => readonly string[];

  constructor(
    private readonly random: Random,
    private readonly processes: readonly string[],
  ) {
    const [messaging, airtime] = ['messaging', 'airtime'].map((app) =>
      processes.filter((process) => appOf(process) === app),
    ) as [string[], string[]];
    this.often = [...processes, ...messaging, ...airtime, ...messaging, ...airtime];
    this.nextOfAnswers = cycle(random, [['clients'], messaging, airtime, this.often]);
    this.nextOfDelivering = cycle(random, [messaging, airtime]);
  }

  /** A process such as `messaging-1`, `clients`, or empty for a server. */
  draw({ atMs, fault, durationMs }: TimedFault): string {
    const candidates = this.candidatesFor(fault);
    const isFree = (target: string): boolean =>
      (this.disturbedUntil.get(target) ?? 0) <= atMs &&
      (fault !== 'stop-process' || (this.stoppedUntil.get(appOf(target)) ?? 0) <= atMs);
    const free = candidates.filter(isFree);
    const target = this.random.shuffle(free.length > 0 ? free : candidates)[0] ?? '';
    this.disturbedUntil.set(target, atMs + durationMs);
    if (fault === 'stop-process') this.stoppedUntil.set(appOf(target), atMs + durationMs);
    return target;
  }

  private candidatesFor(fault: FaultName): readonly string[] {
    switch (faultKinds[fault].target) {
      case 'process':
        return this.often;
      case 'worker':
        return this.processes.filter((process) => appOf(process) !== 'gateway');
      case 'delivering':
        return this.nextOfDelivering();
      case 'answers':
        return this.nextOfAnswers();
      case 'server':
        return [''];
    }
  }
}

/** Returns each item once, in random order, before any of them again. Empty items are left out. */
function cycle(random: Random, items: readonly (readonly string[])[]): () => readonly string[] {
  let left: (readonly string[])[] = [];
  return () => {
    if (left.length === 0) left = random.shuffle(items.filter(({ length }) => length > 0));
    return left.pop() ?? [];
  };
}
