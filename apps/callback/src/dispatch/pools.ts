import { FairSlots, halfOfAvailable, type Release } from '@gangan/leases';
import type { Pool } from './host-limits.js';

export interface Slot {
  /** Frees the slot of the fast pool for an attempt that turned out slow. Returns whether it holds none any more. */
  moveToLate(): boolean;
  release(): void;
}

/** Where an attempt counts; `late` are those of the fast pool that turned out slow. */
export type SlotKind = Pool | 'late';

/** The late pool has this many times the slots of the slow pool. */
const lateFactor = 4;

/** The attempts of this worker in flight, by pool and organisation. An organisation gets half of what others leave. */
export class Pools {
  private readonly slots: Readonly<Record<SlotKind, FairSlots>>;

  constructor(
    { fast, slow }: Readonly<Record<Pool, number>>,
    private readonly onChange: (kind: SlotKind, inFlight: number) => void,
  ) {
    const open = (total: number): FairSlots => new FairSlots({ total, perKey: halfOfAvailable });
    this.slots = { fast: open(fast), slow: open(slow), late: open(slow * lateFactor) };
  }

  get byPool(): Readonly<Record<Pool, FairSlots>> {
    return this.slots;
  }

  take(pool: Pool, organisationId: string): Slot {
    let held: { readonly kind: SlotKind; readonly release: Release } | undefined;
    const moveTo = (kind: SlotKind | undefined): void => {
      const before = held;
      held = kind && { kind, release: this.slots[kind].take(organisationId) };
      if (kind) this.onChange(kind, this.slots[kind].inFlight);
      if (!before) return;
      before.release();
      this.onChange(before.kind, this.slots[before.kind].inFlight);
    };
    moveTo(pool);
    return {
      moveToLate: () => {
        if (held?.kind === 'fast' && this.slots.late.freeFor(organisationId) > 0) moveTo('late');
        return held?.kind !== 'fast';
      },
      release: () => {
        moveTo(undefined);
      },
    };
  }
}
