import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isPublicAddress } from './public-address.js';

const everyIpv4 = fc.ipV4();
const everyIpv6 = fc.ipV6();

describe('a public address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '223.255.255.255',
    '168.63.129.15',
    '168.63.129.17',
    '2606:4700::1111',
    '2001:200::1',
    '2a00:1450:4001:80b::200e',
    '2C0F:F248::1',
  ])('is %s', (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each([
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '1.1.1.1.',
    ' 1.1.1.1',
    '1.1.1.1/8',
    '1.1.1',
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    '::7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '2002:808:808::',
    '2001::1',
    '168.63.129.16',
    '169.254.169.254',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::',
    '::1',
    '3fff::1',
    '2001:db8::1',
    '100.64.0.0',
    '198.18.0.0',
    '240.0.0.0',
    '255.255.255.255',
    '0.0.0.0',
    '224.0.0.1',
  ])('is not %j', (ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });

  it('is never one that another library lists as special', () => {
    fc.assert(
      fc.property(fc.oneof(everyIpv4, everyIpv6), (ip) => {
        if (isPublicAddress(ip)) expect(ipaddr.parse(ip).range()).toBe('unicast');
      }),
      { numRuns: 5_000 },
    );
  });

  it('is every other IPv4 address', () => {
    fc.assert(
      fc.property(everyIpv4, (ip) => {
        expect(isPublicAddress(ip)).toBe(ipaddr.parse(ip).range() === 'unicast' && ip !== '168.63.129.16');
      }),
      { numRuns: 5_000 },
    );
  });

  it('is never a private IPv4 address inside an IPv6 address', () => {
    const prefixes = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'];
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), everyIpv4, (prefix, ip) => {
        expect(isPublicAddress(prefix + ip)).toBe(false);
      }),
    );
  });
});
