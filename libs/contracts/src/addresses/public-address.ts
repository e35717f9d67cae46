import { BlockList, isIP } from 'node:net';

/** The IPv4 blocks that are not public (IANA special-purpose registry), and one cloud host address. */
const specialIpv4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; metadata of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure host address, reachable only from inside
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; metadata of a cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // name servers for private addresses
  '192.52.193.0/24', // multicast relays
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // name servers for private addresses
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/** The parts of the global block that are not public. */
const specialIpv6 = [
  '2001::/23', // protocol assignments: Teredo (an IPv4 address inside), benchmarks, overlays
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address inside
  '2620:4f:8000::/48', // name servers for private addresses
  '3fff::/20', // documentation
];

const blockedIpv4 = toBlockList('ipv4', specialIpv4);
/** The global unicast block. Mapped, compatible, NAT64, local and multicast addresses are outside of it. */
const allowedIpv6 = toBlockList('ipv6', ['2000::/3']);
const blockedIpv6 = toBlockList('ipv6', specialIpv6);

/** Whether the text is an IP address that is reachable from the public internet. */
export function isPublicAddress(ip: string): boolean {
  switch (ip.includes('%') ? 0 : isIP(ip)) {
    case 4:
      return !blockedIpv4.check(ip, 'ipv4');
    case 6:
      return allowedIpv6.check(ip, 'ipv6') && !blockedIpv6.check(ip, 'ipv6');
    default:
      return false;
  }
}

function toBlockList(family: 'ipv4' | 'ipv6', blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
