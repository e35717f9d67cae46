import { networkInterfaces } from 'node:os';
import { networkMatcher } from '@gangan/protocol';
import { StartupError } from './supervisor.js';

/**
 * The addresses to listen on. A network stands for the addresses of this machine in it, so that the containers of a service
 * can share one setting: `127.0.0.1,172.31.251.0/24` opens the port in one of their networks and for their health checks.
 */
export function listenAddresses(variable: string, hosts: string, own = ownAddresses()): string[] {
  const addresses = hosts.split(',').flatMap((text) => {
    const host = text.trim();
    if (!host.includes('/')) return [host];
    const found = own.filter(networkMatcher([host]));
    if (found.length > 0) return found;
    throw new StartupError(
      `This machine has no address in ${host}, which ${variable} names; it has ${own.join(', ')}`,
    );
  });
  return [...new Set(addresses)];
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
