import { AsyncResource } from 'node:async_hooks';

export interface FairSlotsOptions {
  /** How many may be in flight at a time; unbounded by default. */
  readonly total?: number;
  /**
   * How many of them one key may hold: a number, or a function of the slots that the other keys leave free.
   * By default one key may hold all.
   */
  readonly perKey?: number | ((available: number) => number);
}

/** Frees a slot. Further calls do nothing. */
export type Release = () => void;

/** No slot was free within `timeoutMs`; the work was not started. */
export class SlotTimeoutError extends Error {}

/** A `perKey` rule: a key may hold half of what the others leave, so the first few keys never hold every slot. */
export const halfOfAvailable = (available: number): number => Math.ceil(available / 2);

interface Waiter {
  readonly key: string;
  readonly order: number;
  start(release: Release): void;
}

/**
 * Shares the concurrency of one process fairly between keys, usually organisations.
 *
 * Work that waits for its turn:
 * ```ts
 * const queries = new FairSlots({ total: 10, perKey: 9 });
 * if (queries.waitingOf(organisationId) >= 32) throw tooManyQueries();
 * const rows = await queries.run(organisationId, () => search(), { timeoutMs: 5_000 });
 *
 * const oneAtATime = new FairSlots({ perKey: 1 }); // work of one key runs in sequence
 * ```
 * Slots that the caller counts itself, as a sweeper does:
 * ```ts
 * const slots = new FairSlots({ total: 32, perKey: 16 });
 * const claimed = await repository.claimDue(Math.min(8, slots.free), { except: slots.fullKeys() });
 * for (const claim of claimed) void this.settle(claim).finally(slots.take(claim.provider));
 * if (claimed.length === 0) await slots.released(1_000);
 * await slots.idle(); // on shutdown
 * ```
 */
export class FairSlots {
  private readonly held = new Map<string, number>();
  private readonly waiting = new Map<string, Set<Waiter>>();
  private readonly listeners = new Set<() => void>();
  private readonly total: number;
  private used = 0;
  private arrivals = 0;

  constructor(private readonly options: FairSlotsOptions = {}) {
    this.total = options.total ?? Infinity;
  }

  get inFlight(): number {
    return this.used;
  }

  get free(): number {
    return Math.max(0, this.total - this.used);
  }

  inFlightOf(key: string): number {
    return this.held.get(key) ?? 0;
  }

  freeFor(key: string): number {
    const { perKey = Infinity } = this.options;
    const own = this.inFlightOf(key);
    const available = this.total - this.used + own;
    const max = typeof perKey === 'number' ? perKey : perKey(available);
    return Math.max(0, Math.min(max, available) - own);
  }

  /** The keys in flight that may take no more. */
  fullKeys(): string[] {
    return [...this.held.keys()].filter((key) => this.freeFor(key) === 0);
  }

  waitingOf(key: string): number {
    return this.waiting.get(key)?.size ?? 0;
  }

  /** Takes slots at once, even beyond the bounds: check `freeFor` first. */
  take(key: string, count = 1): Release {
    let taken = count;
    this.add(key, count);
    return () => {
      if (taken === 0) return;
      this.add(key, -taken);
      taken = 0;
      this.startWaiting(key);
      for (const listener of [...this.listeners]) listener();
    };
  }

  /**
   * Calls `start` as soon as the key has a slot, synchronously if it has one now.
   * @returns a function that withdraws the request, if it has to wait
   */
  acquire(key: string, start: (release: Release) => void): (() => void) | undefined {
    if (this.freeFor(key) > 0) {
      start(this.take(key));
      return undefined;
    }
    // A release starts the next waiter: without the binding it would run in the request context of the releasing one.
    const waiter = { key, order: (this.arrivals += 1), start: AsyncResource.bind(start) };
    this.waiting.set(key, (this.waiting.get(key) ?? new Set()).add(waiter));
    return () => {
      this.withdraw(waiter);
    };
  }

  /**
   * Runs `work` as soon as the key has a slot, and frees the slot when it ends.
   * @throws SlotTimeoutError if no slot was free within `timeoutMs`
   */
  run<T>(key: string, work: () => Promise<T>, { timeoutMs }: { timeoutMs?: number } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: { timer?: NodeJS.Timeout } = {};
      const withdraw = this.acquire(key, (release) => {
        clearTimeout(waiting.timer);
        void (async () => work())().finally(release).then(resolve, reject);
      });
      if (!withdraw || timeoutMs === undefined) return;
      waiting.timer = setTimeout(() => {
        withdraw();
        reject(new SlotTimeoutError(`No slot was free within ${timeoutMs} ms`));
      }, timeoutMs);
    });
  }

  /** Resolves when the next slot is freed, or after `timeoutMs`. */
  released(timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs).unref();
      const { listeners } = this;
      function done(): void {
        clearTimeout(timer);
        listeners.delete(done);
        resolve();
      }
      listeners.add(done);
    });
  }

  async idle(): Promise<void> {
    while (this.used > 0) await this.released();
  }

  /** A copy with the same slots in use, without those that wait, to try out a distribution. */
  copy(): FairSlots {
    const copy = new FairSlots(this.options);
    for (const [key, count] of this.held) copy.add(key, count);
    return copy;
  }

  private add(key: string, count: number): void {
    this.used += count;
    const left = this.inFlightOf(key) + count;
    if (left === 0) this.held.delete(key);
    else this.held.set(key, left);
  }

  private withdraw(waiter: Waiter): void {
    const waiters = this.waiting.get(waiter.key);
    if (waiters?.delete(waiter) && waiters.size === 0) this.waiting.delete(waiter.key);
  }

  private startWaiting(released: string): void {
    for (let next = this.next(released); next; next = this.next(released)) {
      this.withdraw(next);
      next.start(this.take(next.key));
    }
  }

  /** The one that has waited longest. Without a total, a release makes room only for its own key. */
  private next(released: string): Waiter | undefined {
    let best: Waiter | undefined;
    for (const key of this.total === Infinity ? [released] : this.waiting.keys()) {
      const [first] = this.waiting.get(key) ?? [];
      if (first && this.freeFor(key) > 0 && (!best || first.order < best.order)) best = first;
    }
    return best;
  }
}
