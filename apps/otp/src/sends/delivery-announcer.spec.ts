import 'reflect-metadata';
import { setImmediate as turn } from 'node:timers/promises';
import { type DeliveriesDue, maxDeliveriesPerChunk } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import { currentContext, newContext, newId, type RequestContext } from '@gangan/protocol';
import type { EmitOptions, QueueClient } from '@gangan/queue';
import type { AppLogger } from '@gangan/runtime';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY, throwError } from 'rxjs';
import { DeliveryAnnouncer } from './delivery-announcer.js';

describe('DeliveryAnnouncer', () => {
  const organisationId = newId();
  const jobs = new Map<string, readonly string[]>();
  const organisations: (string | undefined)[] = [];
  const warnings: string[] = [];
  let isQueueAway = false;
  // Adding the same id twice adds one job.
  const emit = (_: unknown, { ids }: DeliveriesDue, { jobId = newId() }: EmitOptions = {}) => {
    if (isQueueAway) return throwError(() => new Error('away'));
    organisations.push(currentContext()?.organisationId);
    if (!jobs.has(jobId)) jobs.set(jobId, ids);
    return EMPTY;
  };
  const warn = (_: object, message: string): void => {
    warnings.push(message);
  };
  const announcer = new DeliveryAnnouncer(
    new Announcer({ emit } as unknown as QueueClient, { warn } as unknown as AppLogger),
  );
  beforeEach(() => {
    jobs.clear();
    organisations.length = warnings.length = 0;
    isQueueAway = false;
  });

  const placed = (count: number, organisation = organisationId): RequestContext[] =>
    Array.from({ length: count }, () => newContext({ organisationId: organisation }));
  const idsOf = (contexts: readonly RequestContext[]) => contexts.map(({ operationId }) => operationId);
  const announce = async (contexts: readonly RequestContext[]): Promise<void> => {
    for (const context of contexts) announcer.announce(context);
    await turn();
    await turn();
  };

  it('sends one event per chunk for the deliveries that an organisation places in one turn', async () => {
    const other = newId();
    const [ours, theirs] = [placed(maxDeliveriesPerChunk + 1), placed(2, other)];
    await announce([...theirs, ...ours]);
    expect([...jobs.values()]).toEqual([idsOf(theirs), idsOf(ours.slice(0, -1)), idsOf(ours.slice(-1))]);
    expect(organisations).toEqual([other, organisationId, organisationId]);
  });

  it('also announces new deliveries beside one that was announced before', async () => {
    const [again, ...others] = placed(3) as [RequestContext, RequestContext, RequestContext];
    await announce([again]);
    await announce([again, ...others]);
    expect([...jobs.values()].flat()).toEqual(expect.arrayContaining(idsOf(others)));
  });

  it('does not fail if the queue is unreachable', async () => {
    isQueueAway = true;
    await announce(placed(2));
    expect(warnings).toEqual(['could not announce rows; a sweeper will find them']);
  });
});
