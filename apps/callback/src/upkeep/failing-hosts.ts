import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackMetrics } from '../callback-metrics.js';
import { UpkeepRepository } from './upkeep.repository.js';

const restMs = 60_000;
const mostAtOnce = 50;
const failingForHours = 1;

/** Tells, once a day each, which hosts take nothing. They are never switched off for it. */
@Injectable()
export class FailingHosts {
  constructor(
    private readonly repository: UpkeepRepository,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** Tells whether there may be more. */
  @Periodic('reporting hosts that fail', restMs)
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
