import { FairSlots, type Release } from '@gangan/leases';

export interface ProviderBatchOptions {
  /** How many batches of one provider may be in flight. */
  readonly max: number;
  /** How many organisations continue when one has ended. */
  readonly organisationsPerBatch: number;
}

/**
 * The batches of each provider that are in flight: a limited number, so that a slow provider does not collect deliveries in
 * memory. Deliveries beyond it stay in the table, and their organisations wait until a batch of the provider has ended.
 */
export class ProviderBatches {
  private readonly slots: FairSlots;
  /** Organisations by provider; the one that has waited longest comes first. */
  private readonly waiting = new Map<string, Set<string>>();

  constructor(
    private readonly options: ProviderBatchOptions,
    private readonly wake: (organisationId: string) => void,
  ) {
    this.slots = new FairSlots({ perKey: options.max });
  }

  /** Undefined if there is no room: the organisations are woken later. */
  start(provider: string, organisationIds: Iterable<string>): Release | undefined {
    if (this.slots.freeFor(provider) === 0) {
      const waiting = this.waiting.get(provider) ?? new Set();
      for (const id of organisationIds) waiting.add(id);
      this.waiting.set(provider, waiting);
      return undefined;
    }
    const release = this.slots.take(provider);
    return () => {
      release();
      this.wakeWaiting(provider);
    };
  }

  private wakeWaiting(provider: string): void {
    const waiting = this.waiting.get(provider) ?? new Set();
    const next = [...waiting].slice(0, this.options.organisationsPerBatch);
    for (const id of next) waiting.delete(id);
    if (waiting.size === 0) this.waiting.delete(provider);
    for (const id of next) this.wake(id);
  }
}
