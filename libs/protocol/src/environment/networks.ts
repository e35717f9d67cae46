import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: Family;
}

export const maxNetworks = 100;

/** `10.0.0.0/8`, `2001:db8::/32`, or an address alone. Undefined if the text is neither. */
function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([0-9A-Fa-f.:]{2,45})(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : Number(prefix);
  return length <= bits ? { address, prefix: length, family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Whether the text is a CIDR block or an address. */
export const isIpNetwork = (text: string): boolean => parseNetwork(text) !== undefined;

/**
 * Decides whether an address is in one of the networks. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`, as
 * sockets that accept both report it) matches IPv4 networks. A text that is not a network matches nothing.
 */
export function networkMatcher(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network) list.addSubnet(network.address, network.prefix, network.family);
  }
  return (ip) => {
    const address = ip.split('%', 1)[0] ?? '';
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}
