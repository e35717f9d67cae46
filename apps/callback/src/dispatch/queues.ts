import { type Host, keyOf, type Lane } from './isolation.js';
import type { Occupancy } from './occupancy.js';

/** Hosts of one lane, by organisation. */
type Queue = Map<string, Map<string, Host>>;

/** Hosts that wait for a slot of their lane. */
export class Queues {
  private readonly queues: Record<Lane, Queue> = { fast: new Map(), slow: new Map() };

  add(lane: Lane, host: Host): void {
    const queue = this.queues[lane];
    const hosts = queue.get(host.organisationId) ?? new Map<string, Host>();
    queue.set(host.organisationId, hosts.set(keyOf(host), host));
  }

  has(host: Host): boolean {
    return Object.values(this.queues).some((queue) => queue.get(host.organisationId)?.has(keyOf(host)));
  }

  /** Takes out as many as there are slots for; the organisations have their turns. */
  next(lanes: Readonly<Record<Lane, Occupancy>>): Host[] {
    return [...nextOf(this.queues.fast, lanes.fast), ...nextOf(this.queues.slow, lanes.slow)];
  }
}

function nextOf(queue: Queue, slots: Occupancy): Host[] {
  const next: Host[] = [];
  for (const [organisationId, hosts] of [...queue]) {
    const most = Math.min(next.length + slots.freeFor(organisationId), slots.free);
    if (next.length >= most) continue;
    for (const [key, host] of hosts) {
      if (next.length >= most) break;
      hosts.delete(key);
      next.push(host);
    }
    queue.delete(organisationId);
    if (hosts.size > 0) queue.set(organisationId, hosts);
  }
  return next;
}
