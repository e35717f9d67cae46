import { FairSlots } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';

/**
 * Takes and processes a batch of these organisations; with `ids`, these deliveries. `more` reports, at any time, that
 * further deliveries of an organisation wait. `freeSlot` lets another batch start although this one has not ended.
 */
export type TakeBatch = (
  organisationIds: readonly string[],
  ids: readonly string[] | undefined,
  more: (organisationId: string) => void,
  freeSlot: () => void,
) => Promise<void>;

export interface FairSchedulerOptions {
  /** Batches in flight, without those that have freed their slot. One organisation takes part in at most half of them. */
  readonly slots: number;
  readonly organisationsPerBatch: number;
}

/**
 * Shares the slots of a traffic class fairly: the organisations that take part in the fewest batches come next, as many as
 * fit into one batch, and none takes part in more than half. An event that finds no free slot only marks its organisation
 * as pending; its deliveries are read from the table when a slot is free. The events of a campaign therefore leave the
 * queue at once and block no other organisation.
 */
export class FairScheduler {
  /** The organisation that has waited longest comes first. */
  private readonly pending = new Set<string>();
  private readonly batches = new Set<Promise<void>>();
  /** The batches that have freed their slot. */
  private readonly withoutSlot = new Set<Promise<void>>();
  /** In how many batches an organisation takes part. */
  private readonly inFlight: FairSlots;
  private stopped = false;

  constructor(
    private readonly options: FairSchedulerOptions,
    private readonly takeBatch: TakeBatch,
  ) {
    this.inFlight = new FairSlots({ perKey: Math.ceil(options.slots / 2) });
  }

  /**
   * Takes these deliveries at once and waits for their end, if a slot is free and the organisation has nothing in flight.
   * Otherwise the organisation is marked as pending, so that single deliveries are taken together.
   */
  async schedule(organisationId: string, ids: readonly string[]): Promise<void> {
    if (this.isSlotFree && this.inFlight.inFlightOf(organisationId) === 0)
      await this.run([organisationId], ids);
    else this.wake(organisationId);
  }

  /** Marks the organisation as pending: it has deliveries that wait. */
  wake(organisationId: string): void {
    this.pending.add(organisationId);
    this.startPending();
  }

  /** Starts nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.batches.size > 0) await Promise.all(this.batches);
  }

  private get isSlotFree(): boolean {
    return !this.stopped && this.batches.size - this.withoutSlot.size < this.options.slots;
  }

  private startPending(): void {
    while (this.isSlotFree) {
      const next = this.nextOrganisations();
      if (next.length === 0) return;
      for (const organisationId of next) this.pending.delete(organisationId);
      // The context of the request that woke one of them is not that of the others.
      void runInContext(newContext(), () => this.run(next));
    }
  }

  private nextOrganisations(): readonly string[] {
    return [...this.pending]
      .filter((id) => this.inFlight.freeFor(id) > 0)
      .toSorted((one, other) => this.inFlight.inFlightOf(one) - this.inFlight.inFlightOf(other))
      .slice(0, this.options.organisationsPerBatch);
  }

  private run(organisationIds: readonly string[], ids?: readonly string[]): Promise<void> {
    const releases = organisationIds.map((id) => this.inFlight.take(id));
    const more = (organisationId: string): void => {
      this.wake(organisationId);
    };
    const freeSlot = (): void => {
      this.withoutSlot.add(batch);
      this.startPending();
    };
    const batch = this.takeBatch(organisationIds, ids, more, freeSlot).finally(() => {
      this.batches.delete(batch);
      this.withoutSlot.delete(batch);
      for (const release of releases) release();
      this.startPending();
    });
    this.batches.add(batch);
    return batch;
  }
}
