import { FairSlots } from '@gangan/leases';

/** Takes and processes a batch of an organisation. `more` reports, at any time, that further deliveries wait. */
export type TakeBatch = (
  organisationId: string,
  ids: readonly string[] | undefined,
  more: () => void,
) => Promise<void>;

/**
 * Shares the slots of a traffic class fairly: the organisation with the fewest slots comes next, and none holds more than
 * half. An event that finds no free slot only marks its organisation as pending; its deliveries are read from the table
 * when a slot is free. The events of a campaign therefore leave the queue at once and block no other organisation.
 */
export class FairScheduler {
  private readonly slots: FairSlots;
  /** Organisations that wait for a slot, and how to withdraw them. */
  private readonly pending = new Map<string, () => void>();
  private stopped = false;

  constructor(
    slots: number,
    private readonly takeBatch: TakeBatch,
  ) {
    this.slots = new FairSlots({ total: slots, perKey: Math.ceil(slots / 2), order: 'fewest' });
  }

  /**
   * Takes these deliveries at once and waits for their end, if the organisation has a free slot and nothing in flight.
   * Otherwise the organisation is marked as pending, so that single deliveries are taken together.
   */
  async schedule(organisationId: string, ids: readonly string[]): Promise<void> {
    const isFree = this.slots.inFlightOf(organisationId) === 0 && this.slots.freeFor(organisationId) > 0;
    if (isFree && !this.stopped) await this.run(organisationId, ids, this.slots.take(organisationId));
    else this.wake(organisationId);
  }

  /** Marks the organisation as pending: it has deliveries that wait. */
  wake(organisationId: string): void {
    if (this.stopped || this.pending.has(organisationId)) return;
    const withdraw = this.slots.acquire(organisationId, (release) => {
      this.pending.delete(organisationId);
      void this.run(organisationId, undefined, release);
    });
    if (withdraw) this.pending.set(organisationId, withdraw);
  }

  /** Starts nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const withdraw of this.pending.values()) withdraw();
    this.pending.clear();
    await this.idle();
  }

  idle(): Promise<void> {
    return this.slots.idle();
  }

  private async run(
    organisationId: string,
    ids: readonly string[] | undefined,
    release: () => void,
  ): Promise<void> {
    await this.takeBatch(organisationId, ids, () => {
      this.wake(organisationId);
    }).finally(release);
  }
}
