import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import type { Held } from '../transfers/held.js';
import { TransferMetrics } from '../transfers/transfer-metrics.js';
import { transferWork } from '../transfers/transfer-work.js';
import { ImportProgressRepository } from './import-progress.repository.js';
import { ImportWork } from './import-work.js';

/** Where imports are carried out. */
@Injectable()
export class ImportDesk extends LeasedJobRunner<Held> {
  constructor(
    { leases }: ImportProgressRepository,
    work: ImportWork,
    { CONTACT_TRANSFERS_AT_A_TIME: seats }: ContactsConfig,
    metrics: TransferMetrics,
    logger: AppLogger,
  ) {
    super(transferWork('import', seats, leases, work, metrics, logger), logger);
  }
}
