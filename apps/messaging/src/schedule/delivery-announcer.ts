import { deliveriesDue, maxDeliveriesPerChunk } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import {
  currentContext,
  newContext,
  type RequestContext,
  requireOrganisationId,
  runInContext,
} from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { Backlog } from './backlog.js';

export interface Announcement {
  readonly organisationId: string;
  readonly deliveryIds: readonly string[];
}

interface Gathered {
  readonly context: RequestContext;
  readonly ids: string[];
}

@Injectable()
export class DeliveryAnnouncer {
  private gathered = new Map<string, Gathered>();
  private announcing: Promise<void> | undefined;

  constructor(
    private readonly announcer: Announcer,
    private readonly backlog: Backlog,
  ) {}

  /**
   * Call it after the commit. It never fails: the sweeper finds deliveries that were not announced. Announcements of one
   * organisation in one turn of the event loop, as of the members of a batch, are joined.
   */
  announce({ organisationId, deliveryIds }: Announcement): Promise<void> {
    const gathered = this.gathered.get(organisationId);
    if (gathered) gathered.ids.push(...deliveryIds);
    else {
      const context = newContext({ ...currentContext(), organisationId });
      this.gathered.set(organisationId, { context, ids: [...deliveryIds] });
    }
    this.announcing ??= this.announceSoon();
    return this.announcing;
  }

  private async announceSoon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const all = [...this.gathered.values()];
    this.gathered = new Map();
    this.announcing = undefined;
    await Promise.all(all.map((each) => runInContext(each.context, () => this.announceChunks(each))));
  }

  /** The larger an organisation's backlog, the lower the priority of its chunks: so organisations take turns. */
  private async announceChunks({ context, ids }: Gathered): Promise<void> {
    const before = await this.backlog.add(requireOrganisationId(context), ids.length).catch(() => 0);
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
