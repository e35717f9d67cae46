import { maxDeliveriesPerChunk, otpDeliveryDue } from '@gangan/contracts';
import { Announcer } from '@gangan/leases';
import { newContext, requireOrganisationId, type RequestContext, runInContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';

/** A delivery, and the context in which it was stored. */
interface Placed {
  readonly context: RequestContext;
  readonly id: string;
}

/** Announces OTP deliveries to messaging: those that one organisation places in the same turn share an event. */
@Injectable()
export class DeliveryAnnouncer {
  private waiting = new Map<string, Placed[]>();

  constructor(private readonly announcer: Announcer) {}

  /** Call it after the commit. It never fails: messaging finds unannounced deliveries when they are due. */
  announce(context: RequestContext, id = context.operationId): void {
    if (this.waiting.size === 0) setImmediate(() => void this.flush());
    const organisationId = requireOrganisationId(context);
    const group = this.waiting.get(organisationId);
    if (group) group.push({ context, id });
    else this.waiting.set(organisationId, [{ context, id }]);
  }

  private async flush(): Promise<void> {
    const groups = [...this.waiting.values()];
    this.waiting = new Map();
    await Promise.all(groups.map((group) => this.announceGroup(group)));
  }

  private async announceGroup(placed: readonly Placed[]): Promise<void> {
    const ids = placed.map(({ id }) => id);
    const chunks: { ids: string[] }[] = [];
    for (let start = 0; start < ids.length; start += maxDeliveriesPerChunk) {
      chunks.push({ ids: ids.slice(start, start + maxDeliveriesPerChunk) });
    }
    // Without a job id: a repeated id would drop the other deliveries of its event.
    await runInContext(newContext(placed[0]?.context), () => this.announcer.announce(otpDeliveryDue, chunks));
  }
}
