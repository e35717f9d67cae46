import type { LeasedJob } from '@gangan/leases';
import { FairSlots } from '@gangan/protocol';
import { type ClaimedRequest, type InboundRepository, isRequestDue } from './inbound.repository.js';
import type { InboundService } from './inbound.service.js';

export interface ClaimedBatch {
  readonly stalls: number;
  readonly requests: readonly ClaimedRequest[];
}

/** After so many claims that were never ended, usually because the worker died, a request is not read again. */
const maxUnfinishedClaims = 5;

/**
 * Reads requests in batches. A request whose last claim was never ended is read alone, and meanwhile this process
 * claims no other: if it ends this worker too, only the requests of a batch that was claimed before are delayed with
 * it.
 */
export function inboundJob(service: InboundService, repository: InboundRepository): LeasedJob<ClaimedBatch> {
  const claims = new FairSlots({ perKey: 1 });
  let suspect: ClaimedBatch | undefined;
  const endOf = async (batch: ClaimedBatch, work: Promise<void>): Promise<void> => {
    try {
      await work;
    } finally {
      if (suspect === batch) suspect = undefined;
    }
  };
  const claimNext = async (): Promise<ClaimedBatch | undefined> => {
    if (suspect) return undefined;
    const requests = await repository.claimDue();
    if (requests.length === 0) return undefined;
    const unfinished = Math.max(...requests.map(({ unfinishedClaims }) => unfinishedClaims));
    const attempts = Math.min(...requests.map(({ attempt }) => attempt));
    const batch = { requests, stalls: unfinished > maxUnfinishedClaims ? Infinity : attempts };
    if (unfinished > 1) suspect = batch;
    return batch;
  };
  return {
    name: 'inbound request',
    concurrency: 2,
    maxStalls: 100,
    maxDelayMs: 60_000,
    isDue: isRequestDue,
    describe: ({ requests }) => ({
      requests: requests.length,
      ...(requests.length === 1 && { inbound: requests[0]?.id, provider: requests[0]?.provider }),
    }),
    claimNext: () => claims.run('claim', claimNext),
    runSlice: (batch) => endOf(batch, service.readAll(batch.requests)),
    release: (batch, delayMs) => endOf(batch, releaseAll(repository, batch, delayMs)),
    fail: (batch) => endOf(batch, service.fail(batch.requests)),
  };
}

async function releaseAll(
  repository: InboundRepository,
  { requests }: ClaimedBatch,
  delayMs: number,
): Promise<void> {
  for (const request of requests) await repository.release(request, delayMs);
}
