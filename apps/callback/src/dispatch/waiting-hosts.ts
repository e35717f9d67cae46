import { type FairSlots, TurnQueue } from '@gangan/leases';
import { type Host, hostKey, type Pool } from './host-limits.js';

/** Organisations take turns, so that one with many hosts does not delay another. */
export const hostQueue = (): TurnQueue<Host> =>
  new TurnQueue(({ organisationId }) => organisationId, hostKey);

/** Hosts that wait for a slot of their pool. */
export class WaitingHosts {
  private readonly queues = { fast: hostQueue(), slow: hostQueue() };

  add(pool: Pool, host: Host): void {
    this.queues[pool].add(host);
  }

  count(organisationId: string): number {
    return this.queues.fast.count(organisationId) + this.queues.slow.count(organisationId);
  }

  organisations(): Iterable<string> {
    return [...this.queues.fast.keys(), ...this.queues.slow.keys()];
  }

  has(host: Host): boolean {
    return this.queues.fast.has(host) || this.queues.slow.has(host);
  }

  /** Removes and returns as many hosts as there are free slots; organisations take turns. */
  takeNext({ fast, slow }: Readonly<Record<Pool, FairSlots>>): Host[] {
    return [
      ...this.queues.fast.take(fast.free, (id) => fast.freeFor(id)),
      ...this.queues.slow.take(slow.free, (id) => slow.freeFor(id)),
    ];
  }
}
