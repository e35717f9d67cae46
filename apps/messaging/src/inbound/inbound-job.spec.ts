import { describe, expect, it } from '@jest/globals';
import { inboundJob } from './inbound-job.js';
import type { ClaimedRequest, InboundRepository } from './inbound.repository.js';
import type { InboundService } from './inbound.service.js';

const request = (unfinishedClaims: number): ClaimedRequest =>
  ({ id: 'r', attempt: 1, unfinishedClaims }) as ClaimedRequest;

/** A job whose repository returns these batches one after another. */
function jobWith(...batches: ClaimedRequest[][]) {
  const repository = { claimDue: () => Promise.resolve(batches.shift() ?? []) };
  const service = { readAll: () => Promise.resolve() };
  return inboundJob(service as unknown as InboundService, repository as unknown as InboundRepository);
}

describe('the job that reads requests of providers', () => {
  it('claims nothing while it reads a request whose last claim never ended', async () => {
    const job = jobWith([request(2)], [request(1)]);
    const suspect = await job.claimNext();
    expect(suspect).toBeDefined();
    expect(await job.claimNext()).toBeUndefined();
    if (suspect) await job.runSlice(suspect, new AbortController().signal);
    expect(await job.claimNext()).toBeDefined();
  });

  it('claims the next batch while it reads another one', async () => {
    const job = jobWith([request(1)], [request(1)]);
    expect(await job.claimNext()).toBeDefined();
    expect(await job.claimNext()).toBeDefined();
  });

  it('gives up a request after five claims that never ended', async () => {
    const batch = await jobWith([request(6)]).claimNext();
    expect(batch?.stalls).toBe(Infinity);
  });
});
