import { deliveriesDue, maxDeliveriesPerChunk } from '@gangan/contracts';
import { Announcer, KeyedBatcher } from '@gangan/leases';
import { currentContext, newContext, runInContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { Backlog } from './backlog.js';

export interface Announcement {
  readonly organisationId: string;
  readonly deliveryIds: readonly string[];
}

@Injectable()
export class DeliveryAnnouncer {
  private readonly batches = new KeyedBatcher<Announcement, undefined>({
    keyOf: ({ organisationId }) => organisationId,
    run: (announcements) => this.announceAll(announcements),
    maxBatch: Infinity,
    gathersTurn: true,
    concurrency: Infinity,
  });

  constructor(
    private readonly announcer: Announcer,
    private readonly backlog: Backlog,
  ) {}

  /**
   * Call it after the commit. It never fails: the sweeper finds deliveries that were not announced. Announcements of one
   * organisation in one turn of the event loop, as of the members of a batch, are joined.
   */
  announce(announcement: Announcement): Promise<void> {
    return this.batches.add(announcement);
  }

  private async announceAll(announcements: readonly Announcement[]): Promise<undefined[]> {
    const organisationId = announcements[0]?.organisationId ?? '';
    const ids = announcements.flatMap(({ deliveryIds }) => deliveryIds);
    const context = newContext({ ...currentContext(), organisationId });
    await runInContext(context, () => this.announceChunks(organisationId, ids));
    return announcements.map(() => undefined);
  }

  /** The larger an organisation's backlog, the lower the priority of its chunks: so organisations take turns. */
  private async announceChunks(organisationId: string, ids: readonly string[]): Promise<void> {
    const before = await this.backlog.add(organisationId, ids.length).catch(() => 0);
    const starts = Array.from(
      { length: Math.ceil(ids.length / maxDeliveriesPerChunk) },
      (_, index) => index * maxDeliveriesPerChunk,
    );
    await Promise.all(
      starts.map((start) => {
        const chunk = ids.slice(start, start + maxDeliveriesPerChunk);
        const priority = 1 + Math.floor((before + start) / maxDeliveriesPerChunk);
        return this.announcer.announce(deliveriesDue, [{ ids: chunk }], () => ({
          jobId: `${chunk[0] ?? ''}-0`,
          priority,
        }));
      }),
    );
  }
}
