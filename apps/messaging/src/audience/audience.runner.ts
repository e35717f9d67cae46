import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AudienceRepository, type ClaimedExpansion } from './audience.repository.js';
import { AudienceService } from './audience.service.js';

@Injectable()
export class AudienceRunner extends LeasedJobRunner<ClaimedExpansion> {
  constructor(service: AudienceService, repository: AudienceRepository, logger: AppLogger) {
    super(
      {
        name: 'expansion',
        concurrency: 2,
        // With the delays, about a day.
        maxStalls: 150,
        maxDelayMs: 600_000,
        describe: ({ messageId, organisationId }) => ({ message: messageId, organisationId }),
        claimNext: () => repository.claimNext(),
        runSlice: (claimed, signal) => service.runSlice(claimed, signal),
        release: (claimed, delayMs) => repository.release(claimed, delayMs),
        fail: (claimed) => repository.finish(claimed, 'failed'),
      },
      logger,
    );
  }
}
