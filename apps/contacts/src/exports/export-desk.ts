import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import type { Held } from '../transfers/held.js';
import { TransferMetrics } from '../transfers/transfer-metrics.js';
import { transferWork } from '../transfers/transfer-work.js';
import { ExportProgressRepository } from './export-progress.repository.js';
import { ExportWork } from './export-work.js';

/** Where exports are carried out. */
@Injectable()
export class ExportDesk extends LeasedJobRunner<Held> {
  constructor(
    { leases }: ExportProgressRepository,
    work: ExportWork,
    { CONTACT_TRANSFERS_AT_A_TIME: seats }: ContactsConfig,
    metrics: TransferMetrics,
    logger: AppLogger,
  ) {
    super(transferWork('export', seats, leases, work, metrics, logger), logger);
  }
}
