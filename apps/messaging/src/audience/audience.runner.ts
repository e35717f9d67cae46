import { AppLogger, LeasedJobRunner } from '@gangan/runtime';
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
        what: 'expansion',
        seats: 2,
        // With the pauses in between, about a day.
        mostStalls: 150,
        longestPauseMs: 600_000,
        describe: ({ messageId, organisationId }) => ({ message: messageId, organisationId }),
        take: () => leases.take(),
        carryOn: (held, signal) => service.carryOn(held, signal),
        giveBack: (held, pauseMs) => leases.giveBack(held, pauseMs),
        giveUp: (held) => repository.finish(held, 'failed'),
      },
      logger,
    );
  }
}
