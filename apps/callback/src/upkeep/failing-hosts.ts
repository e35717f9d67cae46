import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CallbackMetrics } from '../callback-metrics.js';
import { UpkeepRepository } from './upkeep.repository.js';

const restMs = 60_000;
const mostAtOnce = 50;
const failingForHours = 1;

/** Tells, once a day each, which hosts take nothing. They are never switched off for it. */
@Injectable()
export class FailingHosts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: Repeating;

  constructor(
    private readonly repository: UpkeepRepository,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {
    this.repeating = new Repeating('reporting hosts that fail', restMs, () => this.report(), logger);
  }

  onApplicationBootstrap(): void {
    this.repeating.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.repeating.stop();
  }

  /** Tells whether there may be more. */
  async report(): Promise<boolean> {
    this.metrics.showFailing(await this.repository.countFailing(failingForHours));
    const hosts = await this.repository.failingToReport(failingForHours, mostAtOnce);
    for (const { organisationId, host, failingSince } of hosts) {
      this.logger.warn(
        { organisationId, host, failingSince },
        'a host takes no callbacks: tell its owner; they are tried again as scheduled',
      );
    }
    return hosts.length === mostAtOnce;
  }
}
