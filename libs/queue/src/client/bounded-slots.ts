import { FairSlots, type Release } from '@gangan/protocol';

export interface SlotRequest {
  readonly bytes: number;
  /** Called when the request has a slot. The request calls `release` when it is done. */
  start(release: Release): void;
}

interface Load {
  readonly requests: number;
  readonly bytes: number;
}

/** The part of the waiting requests, and of their bytes, that one key may have. */
const keyShare = 1 / 4;

/** Slots per key. The number and the bytes of waiting requests are limited, in all and for each key. */
export class BoundedSlots {
  private readonly slotsByMax = new Map<number, FairSlots>();
  /** The requests that wait, by key; the empty key stands for all keys. */
  private readonly waiting = new Map<string, Load>();
  private readonly withdrawals = new Map<SlotRequest, () => void>();

  constructor(private readonly max: Load) {}

  /** Starts the request, or lets it wait. @returns whether there was room */
  join(key: string, slotsPerKey: number, request: SlotRequest): boolean {
    const slots = this.slotsOf(slotsPerKey);
    if (slots.freeFor(key) === 0 && !this.hasRoomFor(key, request)) return false;
    const withdraw = slots.acquire(key, (release) => {
      this.forget(key, request);
      request.start(release);
    });
    if (!withdraw) return true;
    this.withdrawals.set(request, withdraw);
    this.count(key, 1, request.bytes);
    return true;
  }

  /** Withdraws a request that waits. */
  leave(key: string, request: SlotRequest): void {
    this.withdrawals.get(request)?.();
    this.forget(key, request);
  }

  /** A key always has the same maximum, so each maximum has its own slots. */
  private slotsOf(perKey: number): FairSlots {
    const slots = this.slotsByMax.get(perKey) ?? new FairSlots({ perKey });
    this.slotsByMax.set(perKey, slots);
    return slots;
  }

  private hasRoomFor(key: string, { bytes }: SlotRequest): boolean {
    const fits = (name: string, share: number): boolean => {
      const load = this.waiting.get(name) ?? { requests: 0, bytes: 0 };
      return load.requests < this.max.requests * share && load.bytes + bytes <= this.max.bytes * share;
    };
    return fits(key, keyShare) && fits('', 1);
  }

  private forget(key: string, request: SlotRequest): void {
    if (this.withdrawals.delete(request)) this.count(key, -1, -request.bytes);
  }

  private count(key: string, requests: number, bytes: number): void {
    for (const name of [key, '']) {
      const before = this.waiting.get(name) ?? { requests: 0, bytes: 0 };
      const load = { requests: before.requests + requests, bytes: before.bytes + bytes };
      if (load.requests === 0) this.waiting.delete(name);
      else this.waiting.set(name, load);
    }
  }
}
