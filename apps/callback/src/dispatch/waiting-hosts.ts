import type { FairSlots } from '@gangan/leases';
import { type Host, hostKey, type Pool } from './host-limits.js';

/** Hosts by organisation. */
type Queue = Map<string, Map<string, Host>>;

/** Hosts that wait for a slot of their pool. */
export class WaitingHosts {
  private readonly queues: Readonly<Record<Pool, Queue>> = { fast: new Map(), slow: new Map() };

  add(pool: Pool, host: Host): void {
    const queue = this.queues[pool];
    const hosts = queue.get(host.organisationId) ?? new Map<string, Host>();
    queue.set(host.organisationId, hosts.set(hostKey(host), host));
  }

  count(organisationId: string): number {
    return (
      (this.queues.fast.get(organisationId)?.size ?? 0) + (this.queues.slow.get(organisationId)?.size ?? 0)
    );
  }

  organisations(): Iterable<string> {
    return [...this.queues.fast.keys(), ...this.queues.slow.keys()];
  }

  has(host: Host): boolean {
    return Object.values(this.queues).some((queue) => queue.get(host.organisationId)?.has(hostKey(host)));
  }

  /** Removes and returns as many hosts as there are free slots; organisations take turns. */
  takeNext(pools: Readonly<Record<Pool, FairSlots>>): Host[] {
    return [...takeFrom(this.queues.fast, pools.fast), ...takeFrom(this.queues.slow, pools.slow)];
  }
}

function takeFrom(queue: Queue, slots: FairSlots): Host[] {
  const next: Host[] = [];
  for (const [organisationId, hosts] of [...queue]) {
    const max = Math.min(next.length + slots.freeFor(organisationId), slots.free);
    if (next.length >= max) continue;
    for (const [key, host] of hosts) {
      if (next.length >= max) break;
      hosts.delete(key);
      next.push(host);
    }
    queue.delete(organisationId);
    if (hosts.size > 0) queue.set(organisationId, hosts);
  }
  return next;
}
