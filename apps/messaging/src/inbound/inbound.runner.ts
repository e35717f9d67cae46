import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { type ClaimedRequest, InboundRepository } from './inbound.repository.js';
import { InboundService } from './inbound.service.js';

interface ClaimedBatch {
  readonly stalls: number;
  readonly requests: readonly ClaimedRequest[];
}

/** Claims requests when an event announces one, and once a second. */
@Injectable()
export class InboundRunner extends LeasedJobRunner<ClaimedBatch> {
  constructor(service: InboundService, repository: InboundRepository, logger: AppLogger) {
    super(
      {
        name: 'inbound request',
        concurrency: 2,
        maxStalls: 100,
        maxDelayMs: 60_000,
        describe: ({ requests }) => ({ requests: requests.length }),
        claimNext: async () => {
          const requests = await repository.claimDue();
          return requests.length === 0
            ? undefined
            : { requests, stalls: Math.min(...requests.map(({ attempt }) => attempt)) };
        },
        runSlice: ({ requests }) => service.readAll(requests),
        release: async ({ requests }, delayMs) => {
          for (const request of requests) await repository.release(request, delayMs);
        },
        fail: ({ requests }) => service.fail(requests),
      },
      logger,
    );
  }
}
