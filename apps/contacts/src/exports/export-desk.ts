import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { Desk } from '../transfers/desk.js';
import { TransferMetrics } from '../transfers/transfer-metrics.js';
import { ExportProgressRepository } from './export-progress.repository.js';
import { ExportWork } from './export-work.js';
import { ExportsRepository } from './exports.repository.js';

const pruneRestMs = 60_000;
const portion = 5;

/** Where exports are carried out, and forgotten when their time has passed. */
@Injectable()
export class ExportDesk implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly desk: Desk;
  private readonly pruning: Repeating;

  constructor(
    private readonly repository: ExportsRepository,
    progress: ExportProgressRepository,
    work: ExportWork,
    config: ContactsConfig,
    metrics: TransferMetrics,
    logger: AppLogger,
  ) {
    const { CONTACT_TRANSFERS_AT_A_TIME: seats } = config;
    this.desk = new Desk(
      'export',
      seats,
      progress.leases,
      (held, signal) => work.carryOn(held, signal),
      metrics,
      logger,
    );
    this.pruning = new Repeating('pruning exports', pruneRestMs, () => this.prune(), logger);
  }

  onApplicationBootstrap(): void {
    this.desk.open();
    this.pruning.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.desk.close(), this.pruning.stop()]);
  }

  look(): Promise<boolean> {
    return this.desk.look();
  }

  idle(): Promise<void> {
    return this.desk.idle();
  }

  async prune(): Promise<boolean> {
    return (await this.repository.prune(portion)) === portion;
  }
}
