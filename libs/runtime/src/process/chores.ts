import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { AppLogger } from '../logging/app-logger.js';
import { Repeating, type Round } from './repeating.js';
import { repetition } from './repeats.js';

/** Finds what the providers of the app mark with `@Repeats`, and keeps it going until the app ends. */
@Injectable()
export class Chores implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private chores: readonly Repeating[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly logger: AppLogger,
  ) {}

  onApplicationBootstrap(): void {
    this.chores = this.discovery
      .getProviders()
      // What is provided as a value is no class of ours.
      .filter(({ isNotMetatype, instance }) => !isNotMetatype && instance)
      .flatMap((provider) => this.choresOf(provider));
    for (const chore of this.chores) chore.start();
  }

  /** Waits for the rounds in progress. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.chores.map((chore) => chore.stop()));
  }

  private choresOf(provider: ReturnType<DiscoveryService['getProviders']>[number]): Repeating[] {
    const instance = provider.instance as Readonly<Record<string, Round>>;
    return this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object).flatMap((name) => {
      const found = this.discovery.getMetadataByDecorator(repetition, provider, name);
      const round = instance[name]?.bind(instance);
      return found && round ? [new Repeating(found.what, found.restMs, round, this.logger)] : [];
    });
  }
}
