import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isIpNetwork, networkMatcher } from './networks.js';

const seeded = { seed: 20_261_116, numRuns: 2_000 };
/** Few different bits, so that addresses are often inside a network. */
const ipv4 = fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(0, 1, 128, 255)));
const ipv6 = fc.tuple(...Array.from({ length: 8 }, () => fc.constantFrom(0, 1, 0x8000, 0xffff)));
const written4 = ipv4.map((bytes) => bytes.join('.'));
const written6 = ipv6
  .map((groups) => groups.map((group) => group.toString(16)).join(':'))
  // A mapped address is an IPv4 address: the test below has them.
  .filter((address) => !ipaddr.IPv6.parse(address).isIPv4MappedAddress());

describe('networks', () => {
  it.each(['10.0.0.0/8', '192.0.2.7', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0', '10.1.2.3/8'])(
    'are CIDR blocks and addresses: %s',
    (text) => {
      expect(isIpNetwork(text)).toBe(true);
    },
  );

  it.each([
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
    'any',
    '010.0.0.1',
    ' 10.0.0.1',
  ])('cannot be %j', (text) => {
    expect(isIpNetwork(text)).toBe(false);
  });

  it('match the same addresses as ipaddr.js', () => {
    fc.assert(
      fc.property(written4, written4, fc.nat(32), (network, ip, prefix) => {
        const expected = ipaddr.IPv4.parse(ip).match(ipaddr.IPv4.parse(network), prefix);
        expect(networkMatcher([`${network}/${prefix}`])(ip)).toBe(expected);
        expect(networkMatcher([`${network}/${prefix}`])(`::ffff:${ip}`)).toBe(expected);
      }),
      seeded,
    );
    fc.assert(
      fc.property(written6, written6, fc.nat(128), (network, ip, prefix) => {
        const expected = ipaddr.IPv6.parse(ip).match(ipaddr.IPv6.parse(network), prefix);
        expect(networkMatcher([`${network}/${prefix}`])(ip)).toBe(expected);
      }),
      seeded,
    );
  });

  it('match nothing if they or the address are invalid', () => {
    expect(networkMatcher(['nonsense'])('10.0.0.1')).toBe(false);
    expect(networkMatcher(['0.0.0.0/0', '::/0'])('')).toBe(false);
    expect(networkMatcher(['10.0.0.0/8'])('2001:db8::1')).toBe(false);
    expect(networkMatcher(['192.0.2.0/24', '2001:db8::/32'])('2001:db8::1')).toBe(true);
  });
});
