import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { type ClaimedBatch, inboundJob } from './inbound-job.js';
import { InboundRepository } from './inbound.repository.js';
import { InboundService } from './inbound.service.js';

/** Claims requests when this worker has stored one, and once a second. */
@Injectable()
export class InboundRunner extends LeasedJobRunner<ClaimedBatch> {
  constructor(service: InboundService, repository: InboundRepository, logger: AppLogger) {
    super(inboundJob(service, repository), logger);
  }
}
