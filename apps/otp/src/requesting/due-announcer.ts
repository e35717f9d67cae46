import { maxDeliveriesPerChunk, otpDeliveryDue } from '@gangan/contracts';
import { newContext, requireOrganisationId, type RequestContext, runInContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Tells messaging of deliveries: those of one organisation that were committed together, together. */
@Injectable()
export class DueAnnouncer {
  private waiting = new Map<string, RequestContext[]>();

  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /** To be called after the commit. Never fails: what is not heard of is found overdue a little later. */
  announce(placed: RequestContext): void {
    if (this.waiting.size === 0) setImmediate(() => void this.flush());
    const organisationId = requireOrganisationId(placed);
    const others = this.waiting.get(organisationId);
    if (others) others.push(placed);
    else this.waiting.set(organisationId, [placed]);
  }

  private async flush(): Promise<void> {
    const groups = [...this.waiting.values()];
    this.waiting = new Map();
    await Promise.all(groups.flatMap(chunksOf).map((chunk) => this.tell(chunk)));
  }

  private async tell(placed: readonly RequestContext[]): Promise<void> {
    const [first] = placed;
    if (!first) return;
    const ids = placed.map(({ operationId }) => operationId);
    try {
      // Under no id of its own: one that was told of before would keep those that come with it this time from being told.
      const told = runInContext(newContext(first), () => this.queue.emit(otpDeliveryDue, { ids }));
      await lastValueFrom(told, { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, count: ids.length }, 'OTPs could not be announced');
    }
  }
}

function chunksOf<T>(all: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < all.length; start += maxDeliveriesPerChunk) {
    chunks.push(all.slice(start, start + maxDeliveriesPerChunk));
  }
  return chunks;
}
