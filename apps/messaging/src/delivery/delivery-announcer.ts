import { deliveriesDue, mostDeliveriesPerChunk } from '@gangan/contracts';
import { currentContext, newContext, runInContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';
import { Backlog } from './backlog.js';

export interface Announcement {
  readonly organisationId: string;
  readonly deliveryIds: readonly string[];
}

/** Tells a worker, perhaps this one, which deliveries wait for their provider. */
@Injectable()
export class DeliveryAnnouncer {
  constructor(
    private readonly queue: QueueClient,
    private readonly backlog: Backlog,
    private readonly logger: AppLogger,
  ) {}

  /** To be called after the commit. Never fails: what is not heard of is found overdue a little later. */
  async announce({ organisationId, deliveryIds }: Announcement): Promise<void> {
    if (deliveryIds.length === 0) return;
    try {
      const before = await this.backlog.join(organisationId, deliveryIds.length);
      const context = newContext({ ...currentContext(), organisationId });
      const chunks = chunksOf(deliveryIds).map((ids, place) =>
        runInContext(context, () => this.tell(ids, before + place * mostDeliveriesPerChunk)),
      );
      await Promise.all(chunks);
    } catch (error) {
      this.logger.warn({ err: error, organisationId }, 'deliveries could not be announced');
    }
  }

  /** The more of an organisation waits before it, the later a chunk comes: so organisations take turns. */
  private async tell(ids: string[], before: number): Promise<void> {
    const priority = 1 + Math.floor(before / mostDeliveriesPerChunk);
    const told = this.queue.emit(deliveriesDue, { ids }, { jobId: `${ids[0] ?? ''}-0`, priority });
    await lastValueFrom(told, { defaultValue: undefined });
  }
}

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let start = 0; start < ids.length; start += mostDeliveriesPerChunk) {
    chunks.push(ids.slice(start, start + mostDeliveriesPerChunk));
  }
  return chunks;
}
