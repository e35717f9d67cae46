import { maxDeliveriesPerChunk, otpDeliveryDue } from '@gangan/contracts';
import { Announcer, KeyedBatcher } from '@gangan/leases';
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
  private readonly batches = new KeyedBatcher<Placed, undefined>({
    keyOf: ({ context }) => requireOrganisationId(context),
    run: (placed) => this.announceAll(placed),
    maxBatch: maxDeliveriesPerChunk,
    gathersTurn: true,
    concurrency: Infinity,
  });

  constructor(private readonly announcer: Announcer) {}

  /** Call it after the commit. It never fails: messaging finds unannounced deliveries when they are due. */
  announce(context: RequestContext, id = context.operationId): void {
    void this.batches.add({ context, id });
  }

  private async announceAll(placed: readonly Placed[]): Promise<undefined[]> {
    const ids = placed.map(({ id }) => id);
    // Without a job id: a repeated id would drop the other deliveries of its event.
    await runInContext(newContext(placed[0]?.context), () =>
      this.announcer.announce(otpDeliveryDue, [{ ids }]),
    );
    return placed.map(() => undefined);
  }
}
