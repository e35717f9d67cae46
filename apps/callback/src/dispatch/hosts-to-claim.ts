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

  /** Removes and returns up to `max` hosts: the oldest of each organisation, then the next of each. */
  take(max: number): Host[] {
    const taken: Host[] = [];
    while (taken.length < max && !this.isEmpty) {
      for (const organisationId of [...this.byOrganisation.keys()].slice(0, max - taken.length))
        taken.push(this.takeOldest(organisationId));
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
