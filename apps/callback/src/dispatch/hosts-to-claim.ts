import { type Host, hostKey } from './host-limits.js';

/** Hosts that may have due callbacks. Organisations take turns, so that one with many hosts does not delay another. */
export class HostsToClaim {
  private readonly byOrganisation = new Map<string, Map<string, Host>>();

  get isEmpty(): boolean {
    return this.byOrganisation.size === 0;
  }

  organisations(): Iterable<string> {
    return this.byOrganisation.keys();
  }

  count(organisationId: string): number {
    return this.byOrganisation.get(organisationId)?.size ?? 0;
  }

  add(host: Host): void {
    const hosts = this.byOrganisation.get(host.organisationId) ?? new Map<string, Host>();
    this.byOrganisation.set(host.organisationId, hosts.set(hostKey(host), host));
  }

  has(host: Host): boolean {
    return this.byOrganisation.get(host.organisationId)?.has(hostKey(host)) ?? false;
  }

  /** Removes and returns up to `max` hosts, `maxOf` of each organisation: the oldest of each, then the next of each. */
  take(max: number, maxOf: (organisationId: string) => number = () => max): Host[] {
    const taken: Host[] = [];
    for (let round = 0, before = -1; taken.length > before && taken.length < max; round += 1) {
      before = taken.length;
      for (const organisationId of [...this.byOrganisation.keys()])
        if (taken.length < max && maxOf(organisationId) > round) taken.push(this.takeOldest(organisationId));
    }
    return taken;
  }

  /** The organisation goes to the end of the line. */
  private takeOldest(organisationId: string): Host {
    const hosts = this.byOrganisation.get(organisationId) ?? new Map<string, Host>();
    this.byOrganisation.delete(organisationId);
    const [[key, host]] = hosts as unknown as [[string, Host]];
    hosts.delete(key);
    if (hosts.size > 0) this.byOrganisation.set(organisationId, hosts);
    return host;
  }
}
