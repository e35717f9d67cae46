import { FairSlots, SlotTimeoutError } from '@gangan/leases';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { queryTooSlow, tooManyQueries } from '../contacts.errors.js';

/** Waiting queries of one organisation. Further ones are rejected, so that the queue keeps room for others. */
export const maxWaiting = 32;

/** Reserved for sending the reply. */
const replyTimeMs = 1_000;

/** When a query that starts now must have its result, in milliseconds since 1970. */
export const queryDeadline = ({ deadlineMs }: { readonly deadlineMs: number }): number =>
  Date.now() + deadlineMs - replyTimeMs;

/**
 * Queries can take seconds. Together they use at most half of the connections, so that other work finds one. One
 * organisation uses all of those but one, unless there is only one.
 */
@Injectable()
export class QuerySlots {
  private readonly slots: FairSlots;

  constructor({ DATABASE_POOL_SIZE: connections }: RuntimeConfig) {
    const total = Math.max(1, Math.floor(connections / 2));
    this.slots = new FairSlots({ total, perKey: Math.max(1, total - 1) });
  }

  /** @throws AppError if no slot is free before the deadline, or too many queries of the organisation wait */
  async run<T>(organisationId: string, deadline: number, work: () => Promise<T>): Promise<T> {
    if (this.slots.waitingOf(organisationId) >= maxWaiting) throw tooManyQueries();
    try {
      return await this.slots.run(organisationId, work, { timeoutMs: deadline - Date.now() });
    } catch (error) {
      throw error instanceof SlotTimeoutError ? queryTooSlow() : error;
    }
  }
}
