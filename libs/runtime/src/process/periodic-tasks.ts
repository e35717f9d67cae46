import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { AppLogger } from '../logging/app-logger.js';
import { PeriodicTask, type Round } from './periodic-task.js';
import { repetition } from './periodic.js';

/** Finds what the providers of the app mark with `@Periodic`, and keeps it going until the app ends. */
@Injectable()
export class PeriodicTasks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private chores: readonly PeriodicTask[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
    private readonly logger: AppLogger,
  ) {}

  onApplicationBootstrap(): void {
    const instances = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    // One that has several names is still one.
    this.chores = [...new Set(instances)].flatMap((instance) => this.choresOf(instance));
    for (const chore of this.chores) chore.start();
  }

  /** Waits for the rounds in progress. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.chores.map((chore) => chore.stop()));
  }

  private choresOf(instance: unknown): PeriodicTask[] {
    if (typeof instance !== 'object' || instance === null) return [];
    const prototype = Object.getPrototypeOf(instance) as Record<string, Round>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const round = prototype[name];
      const found = round && this.reflector.get(repetition, round);
      return found ? [new PeriodicTask(found.what, found.restMs, round.bind(instance), this.logger)] : [];
    });
  }
}
