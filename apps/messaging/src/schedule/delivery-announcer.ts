import { deliveriesDue, maxDeliveriesPerChunk } from '@gangan/contracts';
import {
  currentContext,
  newContext,
  requireOrganisationId,
  type RequestContext,
  runInContext,
} from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';
import { Backlog } from './backlog.js';

export interface Announcement {
  readonly organisationId: string;
  readonly deliveryIds: readonly string[];
}

interface Gathered {
  readonly context: RequestContext;
  readonly ids: string[];
}

/** Tells a worker, perhaps this one, which deliveries wait for their provider. */
@Injectable()
export class DeliveryAnnouncer {
  private gathered = new Map<string, Gathered>();
  private telling: Promise<void> | undefined;

  constructor(
    private readonly queue: QueueClient,
    private readonly backlog: Backlog,
    private readonly logger: AppLogger,
  ) {}

  /**
   * To be called after the commit. Never fails: what is not heard of is found overdue a little later. What an
   * organisation announces in one turn of the event loop, as the members of a batch do, is announced together.
   */
  announce({ organisationId, deliveryIds }: Announcement): Promise<void> {
    const gathered = this.gathered.get(organisationId);
    if (gathered) gathered.ids.push(...deliveryIds);
    else {
      const context = newContext({ ...currentContext(), organisationId });
      this.gathered.set(organisationId, { context, ids: [...deliveryIds] });
    }
    this.telling ??= this.tellSoon();
    return this.telling;
  }

  private async tellSoon(): Promise<void> {
    await new Promise((turn) => setImmediate(turn));
    const all = [...this.gathered.values()];
    this.gathered = new Map();
    this.telling = undefined;
    await Promise.all(all.map((gathered) => runInContext(gathered.context, () => this.tellAll(gathered))));
  }

  private async tellAll({ context, ids }: Gathered): Promise<void> {
    const organisationId = requireOrganisationId(context);
    try {
      const before = await this.backlog.join(organisationId, ids.length);
      await Promise.all(
        chunksOf(ids).map((chunk, place) => this.tell(chunk, before + place * maxDeliveriesPerChunk)),
      );
    } catch (error) {
      this.logger.warn({ err: error, organisationId }, 'deliveries could not be announced');
    }
  }

  /** The more of an organisation waits before it, the later a chunk comes: so organisations take turns. */
  private async tell(ids: string[], before: number): Promise<void> {
    const priority = 1 + Math.floor(before / maxDeliveriesPerChunk);
    const told = this.queue.emit(deliveriesDue, { ids }, { jobId: `${ids[0] ?? ''}-0`, priority });
    await lastValueFrom(told, { defaultValue: undefined });
  }
}

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let start = 0; start < ids.length; start += maxDeliveriesPerChunk) {
    chunks.push(ids.slice(start, start + maxDeliveriesPerChunk));
  }
  return chunks;
}
