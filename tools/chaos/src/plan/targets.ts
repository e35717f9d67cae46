import { type FaultName, faultKinds } from './fault-kinds.js';
import { appOf } from '../system/process-names.js';
import type { Random } from './random.js';

interface TimedFault {
  readonly atMs: number;
  readonly fault: FaultName;
  readonly durationMs: number;
}

/**
 * Draws the targets of faults, in order of time. Messaging and airtime, which hold leases, refunds and callbacks, are
 * disturbed most often. A process has one fault at a time, so that each can take effect, and of an app with several
 * processes one is never stopped.
 */
export class Targets {
  private readonly disturbedUntil = new Map<string, number>();
  /** By app: the process that was stopped last. */
  private readonly stopped = new Map<string, { readonly process: string; readonly untilMs: number }>();
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
    const allowed = candidates.filter((target) => fault !== 'stop-process' || this.canStop(target, atMs));
    const free = allowed.filter((target) => (this.disturbedUntil.get(target) ?? 0) <= atMs);
    const target = this.random.shuffle(free.length > 0 ? free : allowed)[0] ?? '';
    const untilMs = Math.max(atMs + durationMs, this.disturbedUntil.get(target) ?? 0);
    this.disturbedUntil.set(target, untilMs);
    if (fault === 'stop-process') this.stopped.set(appOf(target), { process: target, untilMs });
    return target;
  }

  /** Whether no other process of the app is stopped. */
  private canStop(process: string, atMs: number): boolean {
    const stopped = this.stopped.get(appOf(process));
    return !stopped || stopped.process === process || stopped.untilMs <= atMs;
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
