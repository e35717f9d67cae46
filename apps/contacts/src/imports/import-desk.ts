import { AppLogger, durationsOf, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { Desk } from '../transfers/desk.js';
import { TransferMetrics } from '../transfers/transfer-metrics.js';
import { ImportProgressRepository } from './import-progress.repository.js';
import { ImportWork } from './import-work.js';
import { ImportsRepository } from './imports.repository.js';

const pruneRestMs = 60_000;
const portion = 20;

/** Where imports are carried out, and forgotten when their time has passed. */
@Injectable()
export class ImportDesk implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly desk: Desk;
  private readonly pruning: Repeating;
  private readonly keptMs: number;

  constructor(
    private readonly repository: ImportsRepository,
    progress: ImportProgressRepository,
    work: ImportWork,
    config: ContactsConfig,
    metrics: TransferMetrics,
    logger: AppLogger,
  ) {
    const { CONTACT_TRANSFERS_AT_A_TIME: seats, CONTACT_IMPORT_KEPT_FOR: kept } = config;
    [this.keptMs = 0] = durationsOf(kept) ?? [];
    this.desk = new Desk(
      'import',
      seats,
      progress.leases,
      (held, signal) => work.carryOn(held, signal),
      metrics,
      logger,
    );
    this.pruning = new Repeating('pruning imports', pruneRestMs, () => this.prune(), logger);
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
    return (await this.repository.prune(this.keptMs, portion)) === portion;
  }
}
