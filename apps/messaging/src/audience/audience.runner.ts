import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ExpansionRepository } from './audience.repository.js';
import { ExpansionService } from './audience.service.js';
import { type Held, LeasesRepository } from './leases.repository.js';

/** Where smartlists are expanded. */
@Injectable()
export class ExpansionDesk extends LeasedJobRunner<Held> {
  constructor(
    leases: LeasesRepository,
    service: ExpansionService,
    repository: ExpansionRepository,
    logger: AppLogger,
  ) {
    super(
      {
        name: 'expansion',
        concurrency: 2,
        // With the pauses in between, about a day.
        maxStalls: 150,
        maxDelayMs: 600_000,
        describe: ({ messageId, organisationId }) => ({ message: messageId, organisationId }),
        claimNext: () => leases.take(),
        runSlice: (held, signal) => service.carryOn(held, signal),
        release: (held, pauseMs) => leases.giveBack(held, pauseMs),
        fail: (held) => repository.finish(held, 'failed'),
      },
      logger,
    );
  }
}
