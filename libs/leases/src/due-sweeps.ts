import { Database, Prisma, sql, type Statement, t } from '@gangan/database';
import { withTimeout } from '@gangan/protocol';
import { AppLogger, PeriodicTask, TaskLoop, type TaskStep } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { DueCondition } from './due-condition.js';
import { LeasedJobRunner } from './leased-job-runner.js';

const intervalMs = 1_000;
/** A table that is locked, as by a migration, must not delay the sweeps of the others. */
const maxWaitMs = 2_000;

interface Sweep {
  readonly name: string;
  readonly condition: DueCondition;
}

const sweep = Reflector.createDecorator<Sweep>();

/**
 * Marks a method of a provider that sweeps a table. It runs when its condition holds, and once more after that. It returns
 * whether there is more to do at once.
 * @param name for the log
 */
export function SweepsWhen(condition: DueCondition, name: string) {
  return <R extends TaskStep>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<R>,
  ): void => void (sweep({ name, condition }) as MethodDecorator)(target, key, descriptor);
}

/**
 * Runs the sweeps of a process. Once a second, one statement asks the conditions of all of them, so an idle process does not
 * send a statement for each. If it fails or takes long, all sweeps run.
 */
@Injectable()
export class DueSweeps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly looking: PeriodicTask;
  private sweeps: readonly RunningSweep[] = [];
  /** The statement in progress; an earlier look may have sent it. */
  private asking: Promise<DueFlags | undefined> | undefined;

  constructor(
    private readonly database: Database,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly logger: AppLogger,
  ) {
    this.looking = new PeriodicTask('looking for due rows', intervalMs, () => this.look(), logger);
  }

  onApplicationBootstrap(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    this.sweeps = [...instances].flatMap((instance) => this.sweepsOf(instance));
    if (this.sweeps.length > 0) this.looking.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.looking.stop();
    await Promise.all(this.sweeps.map((each) => each.idle()));
  }

  /** Starts the sweeps that have work, and does not wait for them. Returns false: the next look is a second later. */
  async look(): Promise<boolean> {
    const start = (isDue: (column: string) => boolean): void => {
      for (const [n, each] of this.sweeps.entries()) each.start(isDue(columnOf(n)), this.stopping.signal);
    };
    try {
      const flags = await this.ask();
      start((column) => flags?.[column] ?? true);
    } catch (error) {
      start(() => true);
      throw error;
    }
    return false;
  }

  /** While a statement is in progress, no other one is sent: each would occupy a connection. */
  private async ask(): Promise<DueFlags | undefined> {
    if (this.asking) throw late();
    this.asking = this.database
      .run(allConditions(this.sweeps))
      .then(([row]) => row)
      .finally(() => {
        this.asking = undefined;
      });
    return withTimeout(maxWaitMs, this.asking, late);
  }

  private sweepsOf(instance: unknown): RunningSweep[] {
    if (typeof instance !== 'object' || instance === null) return [];
    if (instance instanceof LeasedJobRunner) {
      const { name, isDue } = instance.job;
      return isDue ? [new RunningSweep(name, isDue, () => instance.look(), this.logger)] : [];
    }
    const prototype = Object.getPrototypeOf(instance) as Record<string, TaskStep>;
    return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
      const step = prototype[method];
      const found = step && this.reflector.get(sweep, step);
      return found ? [new RunningSweep(found.name, found.condition, step.bind(instance), this.logger)] : [];
    });
  }
}

/** Whether each sweep is due, by its column. */
type DueFlags = Readonly<Record<string, boolean>>;

const late = (): Error => new Error('Postgres has not answered which tables have due rows; all sweeps run');

const columnOf = (n: number): string => `sweep${n}`;

function allConditions(
  sweeps: readonly RunningSweep[],
): Statement<[], Readonly<Record<string, typeof t.bool>>> {
  const columns = sweeps.map(({ condition }, n) => sql`(${condition.build()}) AS ${Prisma.raw(columnOf(n))}`);
  return { shape: {}, build: () => sql`SELECT ${Prisma.join(columns)}` };
}

class RunningSweep {
  private running: Promise<void> | undefined;
  private readonly loop: TaskLoop;
  private wasDue = false;

  constructor(
    name: string,
    readonly condition: DueCondition,
    step: TaskStep,
    logger: AppLogger,
  ) {
    this.loop = new TaskLoop(name, step, logger);
  }

  async idle(): Promise<void> {
    await this.running;
  }

  /** Does nothing while this sweep is running. */
  start(isDue: boolean, signal: AbortSignal): void {
    const starts = isDue || this.wasDue;
    this.wasDue = isDue;
    if (!starts) return;
    this.running ??= this.loop.run(signal).finally(() => {
      this.running = undefined;
    });
  }
}
