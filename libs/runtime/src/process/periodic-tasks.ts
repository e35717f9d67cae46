import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { AppLogger } from '../logging/logger.js';
import { TaskLoop, type TaskStep } from './task-loop.js';

/**
 * Runs a function at intervals until it is stopped. Every process runs its own, so the intervals vary. A failed run is
 * retried after the next interval.
 */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private readonly loop: TaskLoop;
  private running: Promise<void> | undefined;

  constructor(
    name: string,
    private readonly intervalMs: number,
    step: TaskStep,
    logger: Pick<AppLogger, 'info' | 'warn'>,
  ) {
    this.loop = new TaskLoop(name, step, logger);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Waits for the run in progress. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.loop.run(signal);
      const delayMs = this.intervalMs * (0.5 + Math.random());
      await pause(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

const interval = Reflector.createDecorator<{ readonly name: string; readonly intervalMs: number }>();

/**
 * Marks a method of a provider that runs at intervals while the app runs. It returns whether there is more to do at once, and
 * may wait until there is anything to do, or until its signal aborts.
 * ```ts
 * @Periodic('deleting expired OTPs', 60_000)
 * prune(): Promise<boolean> { … }
 * ```
 * @param name for the log
 */
export function Periodic(name: string, intervalMs: number) {
  return <R extends TaskStep>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<R>,
  ): void => void (interval({ name, intervalMs }) as MethodDecorator)(target, key, descriptor);
}

/** Finds the methods that the providers of the app mark with `@Periodic`, and runs them. */
@Injectable()
class PeriodicTasks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private tasks: readonly PeriodicTask[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly logger: AppLogger,
  ) {}

  onApplicationBootstrap(): void {
    // A provider that is registered under several tokens is still one instance.
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    this.tasks = [...instances].flatMap((instance) => this.tasksOf(instance));
    for (const task of this.tasks) task.start();
  }

  /** Waits for the runs in progress. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  private tasksOf(instance: unknown): PeriodicTask[] {
    if (typeof instance !== 'object' || instance === null) return [];
    const prototype = Object.getPrototypeOf(instance) as Record<string, TaskStep>;
    return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
      const step = prototype[method];
      const found = step && this.reflector.get(interval, step);
      return found ? [new PeriodicTask(found.name, found.intervalMs, step.bind(instance), this.logger)] : [];
    });
  }
}

@Module({ imports: [DiscoveryModule], providers: [PeriodicTasks] })
export class PeriodicTasksModule {}
