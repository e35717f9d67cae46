import type { FairSlots } from '@gangan/leases';
import type { Host, Pool } from './host-limits.js';
import { HostsToClaim } from './hosts-to-claim.js';

/** Hosts that wait for a slot of their pool. */
export class WaitingHosts {
  private readonly queues: Readonly<Record<Pool, HostsToClaim>> = {
    fast: new HostsToClaim(),
    slow: new HostsToClaim(),
  };

  add(pool: Pool, host: Host): void {
    this.queues[pool].add(host);
  }

  count(organisationId: string): number {
    return this.queues.fast.count(organisationId) + this.queues.slow.count(organisationId);
  }

  organisations(): Iterable<string> {
    return [...this.queues.fast.organisations(), ...this.queues.slow.organisations()];
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
